package judge

// macros are the short forms of the scenarios: each is one atomic script over
// one key.
var macros = map[string]string{
	// compare and delete, compare and expire, compare and set
	"CAD": `if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end return 0`,
	"CAE": `if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('PEXPIRE',KEYS[1],ARGV[2]) end return 0`,
	"CAS": `if redis.call('GET',KEYS[1])==ARGV[1] then redis.call('SET',KEYS[1],ARGV[1],'PX',ARGV[2]) return 1 end return 0`,
	// a re-entrant lock in a hash: acquire, renew, release. Acquire answers the
	// count, or 0 when somebody else holds it; release the count that is left, -1
	// when it was not ours.
	"HACQ": `if redis.call('EXISTS',KEYS[1])==0 or redis.call('HEXISTS',KEYS[1],ARGV[1])==1 then
 local n=redis.call('HINCRBY',KEYS[1],ARGV[1],1) redis.call('PEXPIRE',KEYS[1],ARGV[2]) return n end return 0`,
	"HREN": `if redis.call('HEXISTS',KEYS[1],ARGV[1])==1 then return redis.call('PEXPIRE',KEYS[1],ARGV[2]) end return 0`,
	"HREL": `if redis.call('HEXISTS',KEYS[1],ARGV[1])==0 then return -1 end
 local n=redis.call('HINCRBY',KEYS[1],ARGV[1],-1) if n>0 then return n end redis.call('DEL',KEYS[1]) return 0`,
}

// fillScript writes ARGV[1] filler keys with a TTL of ARGV[2] seconds, 0 none.
const fillScript = `for i=1,tonumber(ARGV[1]) do
 if ARGV[2]=='0' then redis.call('SET','filler:'..i,'x') else redis.call('SET','filler:'..i,'x','EX',ARGV[2]) end end return 1`

// expand makes a command of the words of a step.
func expand(words []string) []any {
	if s, ok := macros[words[0]]; ok {
		words = append([]string{"EVAL", s, "1"}, words[1:]...)
	}
	args := make([]any, len(words))
	for i, w := range words {
		args[i] = w
	}
	return args
}
