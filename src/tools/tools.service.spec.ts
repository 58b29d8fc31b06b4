import { FunctionCatalogue, ToolCatalogue } from './tool-catalogue';
import { fakeTool } from './testing/call';
import { ToolsService } from './tools.service';

const run = async () => ({ content: '', sources: [], confidence: null });
const service = new ToolsService(
  new ToolCatalogue([
    fakeTool(run, { name: 'simple_rag', capabilities: ['retrieval'], material_search: { nothing_found: 'empty' } }),
    fakeTool(run, {
      name: 'rubric_rag',
      aliases: ['rubric'],
      config_schema: { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: false },
    }),
    fakeTool(run, {
      name: 'file_rag',
      config_schema: {
        type: 'object',
        properties: { path: { type: 'string', default: '' }, chars: { type: 'integer', default: 10 } },
        required: ['path'],
      },
    }),
  ]),
  new FunctionCatalogue([]),
);

describe('what the catalogue doors answer', () => {
  it('shows tools with statistics that nobody has counted yet', () => {
    const [tool] = service.list();
    expect(tool).toMatchObject({ name: 'simple_rag', stats: { calls: null, p95_ms: null } });
    for (const hidden of ['aliases', 'material_search']) expect(tool).not.toHaveProperty(hidden);
  });

  it('filters by capability', () => {
    expect(service.list({ capability: 'retrieval' }).map(({ name }) => name)).toEqual(['simple_rag']);
    expect(service.list({ capability: 'teleport' })).toEqual([]);
  });

  it('names the closest match of an unknown tool', () => {
    expect(service.get('rubric').name).toBe('rubric_rag');
    expect(() => service.get('rubric_rga')).toThrow(
      expect.objectContaining({
        code: 'not_found',
        detail: "There is no tool named 'rubric_rga'. Did you mean 'rubric_rag'?",
      }),
    );
    expect(() => service.validate('teleport', {})).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it('checks a config, bare or under `config`', () => {
    expect(service.validate('rubric', { id: 'r' })).toEqual([]);
    expect(service.validate('rubric', { config: { id: 1 } })).toEqual([
      { path: 'id', message: 'must be of type string', code: 'value.type' },
    ]);
    expect(service.validate('rubric', [])).toEqual([{ path: '', message: 'must be an object', code: 'value.type' }]);
  });

  it('asks for required members that have a default, and changes nothing in the config', () => {
    const config = { path: 'a.md' };
    expect(service.validate('file_rag', config)).toEqual([]);
    expect(config).toEqual({ path: 'a.md' });
    for (const empty of [{}, { config: {} }])
      expect(service.validate('file_rag', empty)).toEqual([
        { path: 'path', message: 'is required', code: 'value.missing' },
      ]);
  });
});
