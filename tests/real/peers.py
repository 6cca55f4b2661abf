CASES={}
def run(a,n): pass
