import type { JsonObject } from '@bellwether/kernel';
import { functionChecks } from '@bellwether/plugin/conformance';
import { type FunctionPlugin, TOOL_ICONS } from '../contract';
import { FunctionCatalogue } from '../tool-catalogue';
import { OWNER } from './call';
import { offers } from './function-call';
import { isSearch } from './material-searches';

export interface FunctionCase {
  /** The function over fakes of the modules it reads. */
  readonly plugin: () => FunctionPlugin;
  /** A config that the fakes can serve. */
  readonly working: JsonObject;
  /** Configs that the schema must refuse, with the path of one of their problems. */
  readonly refused: readonly (readonly [config: unknown, path: string])[];
  /** Configs that may be saved but offer nothing, with the code of their gap. */
  readonly incomplete: readonly (readonly [config: JsonObject, code: string])[];
}

/** The obligations of a function to catalogue, web form and loop. A function's spec calls this once. */
export function describeFunction(name: string, { plugin, working, refused, incomplete }: FunctionCase): void {
  const catalogue = (): FunctionCatalogue => new FunctionCatalogue([plugin()]);

  describe(`the function ${name}`, () => {
    // Calls of our functions have tests of their own, with what each needs.
    const checks = () => functionChecks(plugin(), { working, refused: refused.map(([config]) => config), args: null });
    // Each test has a function of its own: a spec ends what its fakes hold after each.
    for (const [index, { name: obligation }] of checks().entries())
      it(obligation, async () => checks()[index]?.check());

    it('has a name and an icon that documents and the web UI take', () => {
      const { definition } = plugin();
      expect(definition).toMatchObject({ name, kind: 'function', placeholder: null });
      expect(definition.description).toMatch(/\.$/);
      expect(TOOL_ICONS).toContain(definition.icon);
    });

    it('declares its search of the material', () => {
      const { definition } = plugin();
      expect(definition.material_search !== undefined).toBe(isSearch(definition));
    });

    it('names the setting that it does not know', () => {
      expect(catalogue().validate(name, { ...working, surprise: 1 })).toEqual([
        { path: 'surprise', message: 'is not a setting of this tool', code: 'value.unknown' },
      ]);
    });

    it.each([...refused, [null, ''] as const])('refuses the config %j at %s', (config, path) => {
      const paths = catalogue()
        .validate(name, config)
        .map((problem) => problem.path);
      expect(paths).toContain(path);
    });

    it('keeps configs that lack a choice, tells what is missing, and offers nothing for them', async () => {
      for (const [config, code] of incomplete) {
        expect(catalogue().validate(name, config)).toEqual([]);
        expect(await catalogue().gaps(name, config, OWNER)).toContainEqual(expect.objectContaining({ code }));
        expect(await offers(plugin(), config)).toEqual([]);
      }
    });
  });
}
