import json,sys
name=sys.argv[1]
for e in json.load(open(f'/tmp/cuts/{name}.json'))['events']:
    n=''
    for k,v in e.items():
        if k.endswith('Details') and isinstance(v,dict):
            n=' '.join(str(v.get(x,'')) for x in('name','index','length','error','resource'))
    print(e['id'],e['previousEventId'],e['timestamp'][14:23],e['type'],n)
