import fc from 'fast-check';
import { calledAssistants, filePaths, withNewNames } from './metadata-references';

const names = {
  file: (path: string) => (path === '1\\notes.md' ? '1_notes.md' : path),
  assistant: (id: number) => (id === 12 ? 112 : id === 13 ? 113 : null),
};

describe('filePaths', () => {
  it.each([
    ['{"rag_processor":"single_file_rag","file_path":"1/notes.md"}', ['1/notes.md']],
    ['{"rag_processor":"simple_rag","file_path":"1/notes.md"}', []],
    ['{"rag_processor":"single_file_rag","file_path":""}', []],
    ['{"rag_processor":"single_file_rag","file_path":7}', []],
    [
      '{"assistant_type":"multi_tool","tools":[{"plugin":"single_file_rag","config":{"file_path":"2/a.md"}}]}',
      ['2/a.md'],
    ],
    ['{"tools":[{"type":"single_file","config":{"file_path":"2/a.md"}},{"type":"rubric","config":{}}]}', ['2/a.md']],
    ['', []],
    ['not json', []],
  ])('of %s', (metadata, paths) => expect(filePaths(metadata)).toEqual(paths));
});

describe('withNewNames', () => {
  it('keeps a text that names nothing new to the letter', () => {
    for (const text of [
      '',
      ' ',
      'broken',
      '{"a" : 1.0,\n "a":2 }',
      '{"rag_processor":"single_file_rag","file_path":"1/n.md" }',
    ]) {
      expect(withNewNames(text, names)).toBe(text);
    }
  });

  it('changes ids of assistants in functions and nothing beside them', () => {
    const text =
      '{"tools": [ "weather", {"type":"assistant", "assistant_id" : 12,"description":"\\"assistant_id\\": 12"} ],' +
      ' "big": 12345678901234567890, "functions":[{"type":"assistant","assistant_id":"13"}]}';
    expect(calledAssistants(text)).toEqual([12, 13]);
    expect(withNewNames(text, names)).toBe(
      '{"tools": [ "weather", {"type":"assistant", "assistant_id" : 112,"description":"\\"assistant_id\\": 12"} ],' +
        ' "big": 12345678901234567890, "functions":[{"type":"assistant","assistant_id":113}]}',
    );
  });

  it('lets a function call nobody when its assistant did not come along, never one that has the same number here', () => {
    const text = '{"tools":[{"type":"assistant","assistant_id":99}]}';
    expect(withNewNames(text, names)).toBe('{"tools":[{"type":"assistant","assistant_id":null}]}');
  });

  it('leaves ids of assistants alone where they are no function', () => {
    const text = '{"note":{"assistant_id":12},"tools":[{"type":"assistant","assistant_id":12}]}';
    expect(JSON.parse(withNewNames(text, names))).toEqual({
      note: { assistant_id: 12 },
      tools: [{ type: 'assistant', assistant_id: 112 }],
    });
  });

  it('calls a file by its new name', () => {
    const text = '{"rag_processor":"single_file_rag",  "file_path":"1\\\\notes.md", "x":1e3}';
    expect(withNewNames(text, names)).toBe('{"rag_processor":"single_file_rag",  "file_path":"1_notes.md", "x":1e3}');
  });

  it('reads back as the document with its names changed, whatever else it holds', () => {
    const called = fc.constantFrom(12, 13, 99);
    const other = fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(other, called, (extra, id) => {
        const text = JSON.stringify({ ...extra, functions: [{ ...extra, type: 'assistant', assistant_id: id }] });
        if (Object.hasOwn(extra, 'plugin')) return;
        const read = JSON.parse(withNewNames(text, names)) as { functions: { assistant_id: unknown }[] };
        expect(read.functions[0]?.assistant_id).toBe(names.assistant(id));
        expect({ ...read, functions: 0 }).toEqual({ ...(JSON.parse(text) as object), functions: 0 });
      }),
      { numRuns: 50 },
    );
  });
});
