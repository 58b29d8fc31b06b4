import { readPlugin } from './plugin-problems';
import type { Tool } from './tool.types';

const tool = (definition: object = {}, more: object = {}): Tool => ({
  definition: {
    name: 'tide',
    aliases: [],
    display_name: 'Tide',
    description: 'Tells the tide.',
    placeholder: 'tide',
    category: 'nature',
    version: '1.0.0',
    kind: 'pipeline',
    icon: 'wrench',
    allow_multiple: true,
    config_schema: { type: 'object', properties: { harbour: { type: 'string', 'x-advanced': true } } },
    parameters: {},
    examples: [{ query: 'When?', parameters: { harbour: 'Calp' }, expected_result: 'Soon' }],
    capabilities: [],
    limitations: [],
    cost: { unit: 'none', estimate: 0 },
    ...definition,
  },
  run: () => Promise.resolve({ content: '', sources: [], confidence: null }),
  ...more,
});

class TideTool {
  readonly definition = tool().definition;
  run = tool().run;
}

class NeedsMore {
  constructor(given: { readonly definition: object }) {
    void given.definition;
  }
}

describe('what a package exports as a plugin', () => {
  it('gives objects for objects and classes', () => {
    const { plugin } = readPlugin({ tools: [TideTool, tool({ name: 'ebb' })] });
    expect(plugin.tools.map(({ definition }) => definition.name)).toEqual(['tide', 'ebb']);
  });

  it.each([
    ['nothing', undefined, 'its default export is not what definePlugin gives'],
    ['an unknown member', { tools: [TideTool], tool: [] }, 'tool is none of tools, strategies'],
    ['no entry', {}, 'it brings nothing'],
    ['no list', { tools: TideTool }, 'tools is no list'],
    ['replacements that are no names', { tools: [TideTool], replaces: 'tide' }, 'replaces is no list of names'],
    ['a class that needs services', { tools: [NeedsMore] }, 'tools[0] cannot be made: Cannot read'],
    ['no definition', { tools: [{ run: () => null }] }, 'tools[0] has no definition'],
    ['no method', { tools: [tool({}, { run: undefined })] }, 'tools[0] (tide) has no method run'],
    ['a strange name', { tools: [tool({ name: 'My tide' })] }, 'tools[0] (My tide) definition.name must match pattern'],
    [
      'a text that lacks a part',
      { tools: [tool({ texts: { eu: { name: 'Marea' } } })] },
      "must have required property 'about'",
    ],
    [
      'a schema that is none',
      { tools: [tool({ config_schema: { type: 'object', properties: { a: { type: 'x' } } } })] },
      'does not compile',
    ],
    [
      'an example that the schema refuses',
      { tools: [tool({ examples: [{ query: '', parameters: { harbour: 1 }, expected_result: '' }] })] },
      'definition.examples.0.parameters.harbour must be string',
    ],
    [
      'a member of a definition that is missing',
      { functions: [{ definition: {}, offer: () => [], call: () => null }] },
      "functions[0] definition must have required property 'name'",
    ],
  ])('is refused with %s', (_, exported, problem) => {
    expect(readPlugin(exported).problems).toContainEqual(expect.stringContaining(problem));
  });
});
