import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020';
import document from '../../docs/reference/openapi.json';
import { ENTRY_KEYS } from '../../src/assistants/definition/diagnostics/check-tool';

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema({ $id: 'openapi', components: document.components });
const { schemas } = document.components;

const problemsOf = (
  name: 'AssistantMetadata' | 'StoredMetadata' | 'MultiToolMetadata',
  metadata: unknown,
): string[] => {
  const validate = ajv.getSchema(`openapi#/components/schemas/${name}`);
  if (validate === undefined) throw new Error(`no schema ${name}`);
  return validate(metadata) === true ? [] : (validate.errors ?? []).map(({ instancePath }) => instancePath);
};
const withTool = (tool: object): object => ({ assistant_type: 'multi_tool', orchestrator: 'parallel', tools: [tool] });

describe('the schema of metadata in the OpenAPI document', () => {
  it('accepts the example of its own page and of its own schemas', () => {
    const [, block = ''] = /```json\n([^]*?)```/.exec(readFileSync('docs/reference/metadata.md', 'utf8')) ?? [];
    expect(problemsOf('MultiToolMetadata', JSON.parse(block))).toEqual([]);
    for (const { examples } of [schemas.MultiToolMetadata, schemas.ClassicMetadata])
      for (const example of examples) expect(problemsOf('AssistantMetadata', example)).toEqual([]);
  });

  it('types the settings of each tool and finds a misspelt one', () => {
    const config = { collections: ['biology'], top_k: 3 };
    expect(problemsOf('MultiToolMetadata', withTool({ plugin: 'simple_rag', config }))).toEqual([]);
    expect(problemsOf('MultiToolMetadata', withTool({ plugin: 'simple_rag', config: { topk: 3 } }))).not.toEqual([]);
    expect(problemsOf('MultiToolMetadata', withTool({ plugin: 'simple_rga', config }))).not.toEqual([]);
  });

  it('keeps stored tools whose plugin is gone', () => {
    const gone = withTool({ plugin: 'crystal_ball', config: { colour: 'blue' }, note: 'kept' });
    expect(problemsOf('StoredMetadata', gone)).toEqual([]);
    expect(problemsOf('MultiToolMetadata', gone)).not.toEqual([]);
  });

  it('has the keys of a tool that the checks know', () => {
    const known = [...Object.keys(schemas.ToolOptions.properties), 'plugin', 'type', 'config'];
    expect(known.sort()).toEqual([...new Set(ENTRY_KEYS)].sort());
  });

  it('has every tool of the catalogue once, by its plugin', () => {
    const { mapping } = schemas.AnyTool.discriminator;
    expect(Object.keys(mapping)).toContain('simple_rag');
    expect(schemas.AnyTool.oneOf).toHaveLength(Object.keys(mapping).length);
  });
});
