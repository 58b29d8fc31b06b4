import type { JsonObject } from '@bellwether/kernel';
import { toolChecks } from '@bellwether/plugin/conformance';
import { CallScope, type Tool, TOOL_ICONS, type ToolOutcome } from '../contract';
import { ToolCatalogue } from '../tool-catalogue';
import { entry, invocation, invokerOf, OWNER } from './call';
import { isSearch } from './material-searches';

export interface ToolCase {
  /** The tool over fakes of the modules it reads. */
  readonly tool: () => Tool;
  /** A config that the fakes can serve. */
  readonly working: JsonObject;
  /** Configs that the schema must refuse, with the path of one of their problems. */
  readonly refused: readonly (readonly [config: unknown, path: string])[];
  /** Configs that may be saved but not run, with the code of their gap. */
  readonly incomplete: readonly (readonly [config: JsonObject, code: string])[];
}

/** The obligations of a tool to catalogue, web form and invoker. A tool's spec calls this once. */
export function describeTool(name: string, { tool, working, refused, incomplete }: ToolCase): void {
  const catalogue = (): ToolCatalogue => new ToolCatalogue([tool()]);
  const call = async (config: JsonObject, signal?: AbortSignal): Promise<ToolOutcome> =>
    invokerOf(tool()).invoke(
      entry({ plugin: name, config }),
      { query: 'why?', messages: [{ role: 'user', content: 'why?' }] },
      invocation(signal === undefined ? {} : { scope: new CallScope(signal) }),
    );

  describe(`the tool ${name}`, () => {
    for (const { name: obligation, check } of toolChecks(tool(), {
      working,
      refused: refused.map(([config]) => config),
    }))
      it(obligation, check);

    it('has a name, a placeholder and an icon that documents and the web UI take', () => {
      const { definition } = tool();
      expect(definition.name).toBe(name);
      expect(definition.placeholder).not.toBe('user_input');
      expect(definition.aliases).not.toContain(name);
      expect(definition.description).toMatch(/\.$/);
      expect(TOOL_ICONS).toContain(definition.icon);
    });

    it('declares its search of the material', () => {
      const { definition } = tool();
      expect(definition.material_search !== undefined).toBe(isSearch(definition));
    });

    it('names the setting that it does not know', () => {
      expect(catalogue().validate(name, { ...working, surprise: 1 })).toEqual([
        { path: 'surprise', message: 'is not a setting of this tool', code: 'value.unknown' },
      ]);
    });

    it.each([...refused, [null, ''] as const])('refuses the config %j at %s', (config, path) => {
      expect(
        catalogue()
          .validate(name, config)
          .map((problem) => problem.path),
      ).toContain(path);
    });

    it('keeps configs that lack a choice, tells what is missing, and does not run them', async () => {
      for (const [config, code] of incomplete) {
        expect(catalogue().validate(name, config)).toEqual([]);
        expect(await catalogue().gaps(name, config, OWNER)).toContainEqual(expect.objectContaining({ code }));
        expect(await call(config)).toMatchObject({ status: 'failed', code });
      }
    });

    it('runs and leaves the config as it was', async () => {
      const before = structuredClone(working);
      expect(await call(working)).toMatchObject({ status: 'completed', index: 0, plugin: name, truncated: false });
      expect(working).toEqual(before);
    });

    it('does not start for a run that is over', async () => {
      expect(await call(working, AbortSignal.abort())).toMatchObject({ status: 'failed', code: 'tool.cancelled' });
    });
  });
}
