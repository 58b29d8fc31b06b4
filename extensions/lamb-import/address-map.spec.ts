import { mapAddresses, readAddressMapping } from './metadata-references';

const mapping = (text: string) => {
  const found = readAddressMapping(text);
  if (found === null) throw new Error(`${text} is no mapping`);
  return found;
};

describe('a mapping of addresses', () => {
  it.each([
    'http://kb:9090',
    'http://kb:9090=',
    '=https://kb.example.edu',
    'kb:9090=https://kb.example.edu',
    'http://kb:9090=ftp://kb.example.edu',
    'http://user:secret@kb:9090=https://kb.example.edu',
    'http://kb:9090=https://user:secret@kb.example.edu',
    'http://kb:9090?x=1=https://kb.example.edu',
    'http://kb:9090=https://kb.example.edu#x',
  ])('refuses %s', (text) => expect(readAddressMapping(text)).toBeNull());

  it.each([
    ['http://kb:9090', 'http://kb:9090=https://kb.example.edu', 'https://kb.example.edu'],
    ['http://kb:9090/', 'http://kb:9090/=https://kb.example.edu/', 'https://kb.example.edu'],
    ['http://KB:9090/api/v1', 'http://kb:9090=https://kb.example.edu/lamb', 'https://kb.example.edu/lamb/api/v1'],
    ['http://kb:9090/api/v1', 'http://kb:9090/api=https://kb.example.edu', 'https://kb.example.edu/v1'],
    ['http://kb:80', 'http://kb=https://kb.example.edu', 'https://kb.example.edu'],
    ['http://kb:9090/apis', 'http://kb:9090/api=https://kb.example.edu', 'http://kb:9090/apis'],
    ['http://kb:9091', 'http://kb:9090=https://kb.example.edu', 'http://kb:9091'],
    ['https://kb:9090', 'http://kb:9090=https://kb.example.edu', 'https://kb:9090'],
  ])('of %s by %s gives %s', (url, text, expected) => {
    const { settings } = mapAddresses({ knowledge_base: { server_url: url, api_token: 't' } }, [mapping(text)]);
    expect(settings).toEqual({ knowledge_base: { server_url: expected, api_token: 't' } });
  });

  it('reaches every provider and the knowledge-base server, and says where', () => {
    const given = {
      providers: { openai: { base_url: 'http://proxy/v1' }, ollama: { base_url: 'http://ollama:11434' }, google: {} },
      knowledge_base: { server_url: 'http://proxy/kb' },
      default_model: null,
    };
    const mappings = ['http://proxy=https://p.example', 'http://ollama:11434=https://o.example'].map(mapping);
    expect(mapAddresses(given, mappings)).toEqual({
      settings: {
        providers: {
          openai: { base_url: 'https://p.example/v1' },
          ollama: { base_url: 'https://o.example' },
          google: {},
        },
        knowledge_base: { server_url: 'https://p.example/kb' },
        default_model: null,
      },
      mapped: [
        { path: 'providers.openai.base_url', url: 'https://p.example/v1' },
        { path: 'providers.ollama.base_url', url: 'https://o.example' },
        { path: 'knowledge_base.server_url', url: 'https://p.example/kb' },
      ],
    });
  });
});
