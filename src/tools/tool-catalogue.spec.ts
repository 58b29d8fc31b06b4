import { TOOL_PLUGINS } from './catalog';
import { ToolCatalogue } from './tool-catalogue';
import { toolsOver } from './tool-plugins';
import { entry, fakeTool, OWNER } from './testing/call';

const run = async () => ({ content: '', sources: [], confidence: null });
const schema = {
  type: 'object',
  properties: {
    top_k: { type: 'integer', minimum: 1, default: 3 },
    list: { type: 'array', items: { type: 'string' } },
  },
  required: ['top_k'],
  additionalProperties: false,
};

const catalogue = new ToolCatalogue([
  fakeTool(run, { name: 'simple_rag', config_schema: schema }),
  fakeTool(run, { name: 'rubric_rag', aliases: ['rubric'], placeholder: 'rubric' }),
  fakeTool(run, { name: 'no_rag', aliases: ['no_tool'], placeholder: null }),
  fakeTool(run, { name: 'other_rag' }),
]);

describe('the tool catalogue', () => {
  it('finds tools by name and alias and nothing by the names of Object', () => {
    expect(catalogue.find('rubric')?.definition.name).toBe('rubric_rag');
    expect(catalogue.canonicalName('no_tool')).toBe('no_rag');
    expect(catalogue.canonicalName('Rubric')).toBe('Rubric');
    for (const name of ['constructor', '__proto__', 'toString', '']) expect(catalogue.find(name)).toBeUndefined();
  });

  it.each([
    ['simple_rga', 'simple_rag'],
    ['Rubric', 'rubric_rag'],
    ['notool', 'no_rag'],
    ['simple', 'simple_rag'],
    ['quantum_teleport', null],
    ['x'.repeat(100_000), null],
    ['', null],
  ])('takes %j for %j', (name, closest) => expect(catalogue.closest(name)).toBe(closest));

  it('knows each placeholder type once', () => {
    expect(catalogue.placeholderTypes()).toEqual(['context', 'rubric']);
  });

  it('lists every problem of a config with its path', () => {
    expect(catalogue.validate('simple_rag', { top_k: 0, list: ['a', 1, null], extra: {} })).toEqual(
      expect.arrayContaining([
        { path: 'extra', message: 'is not a setting of this tool', code: 'value.unknown' },
        { path: 'top_k', message: 'must be >= 1', code: 'value.minimum', values: { limit: 1 } },
        { path: 'list[1]', message: 'must be of type string', code: 'value.type' },
        { path: 'list[2]', message: 'must be of type string', code: 'value.type' },
      ]),
    );
  });

  it('lists at most 20 problems', () => {
    expect(catalogue.validate('simple_rag', { list: Array.from({ length: 1000 }, () => 1) })).toHaveLength(20);
  });

  it('fills defaults into a copy', () => {
    const config = Object.freeze({});
    expect(catalogue.withDefaults('simple_rag', config)).toEqual({ top_k: 3 });
    expect(config).toEqual({});
  });

  it('compiles an entry with its fallback into calls that need no catalogue', () => {
    const fallback = { plugin: 'rubric', config: {}, condition: 'on_error', threshold: 0.5 } as const;
    const stored = Object.freeze({ list: ['a'] });
    expect(catalogue.compile(entry({ plugin: 'simple_rag', config: stored, fallback }))).toMatchObject({
      plugin: 'simple_rag',
      config: stored,
      phase: 'pipeline',
      call: { plugin: 'simple_rag', version: '1.0.0', config: { list: ['a'], top_k: 3 } },
      fallbackCall: { plugin: 'rubric_rag', config: {}, configKey: '{}' },
    });
  });

  it('compiles an entry that cannot be called into the reason', () => {
    const callOf = (more: Parameters<typeof entry>[0]) => catalogue.compile(entry(more)).call;
    expect(callOf({ plugin: 'gone' })).toEqual({ code: 'tool.unknown', message: 'there is no tool named gone' });
    expect(callOf({ plugin: 'simple_rag', config: { top_k: 0 } })).toEqual({
      code: 'tool.config_invalid',
      message: 'top_k must be >= 1',
    });
  });

  it('has no opinion on gaps of tools that it does not know', async () => {
    expect(await catalogue.gaps('nope', {}, OWNER)).toEqual([]);
  });

  it('refuses two tools of one name', () => {
    const twice = [fakeTool(run, { name: 'a' }), fakeTool(run, { name: 'b', aliases: ['a'] })];
    expect(() => new ToolCatalogue(twice)).toThrow('Two tools are called a');
  });
});

it('builds every plugin of the catalogue over other services', () => {
  const built = toolsOver(new Map());
  expect(built.map((plugin) => plugin.constructor)).toEqual(TOOL_PLUGINS);
});
