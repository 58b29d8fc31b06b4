import type { JsonObject } from '@bellwether/kernel';
import { Ajv } from 'ajv';
import { DISPLAY_LANGUAGES, type FunctionPlugin, TOOL_ICONS } from '../contract';
import { FunctionCatalogue } from '../tool-catalogue';
import { presentTool } from '../tools.service';
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
    it('declares itself once, in plain JSON', () => {
      const { definition } = plugin();
      expect(definition).toMatchObject({ name, kind: 'function', placeholder: null });
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(definition.description).toMatch(/\.$/);
      expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
    });

    it('has an icon and display texts that the web UI knows', () => {
      const definition = plugin().definition;
      const { icon } = definition;
      expect(TOOL_ICONS).toContain(icon);
      expect(Object.keys(presentTool(definition).texts).sort()).toEqual([...DISPLAY_LANGUAGES].sort());
    });

    it('declares its search of the material', () => {
      const { definition } = plugin();
      expect(definition.material_search !== undefined).toBe(isSearch(definition));
    });

    it('has a config schema that names its members, accepts its examples and refuses all others', () => {
      const configs = [{}, working, ...plugin().definition.examples.map(({ parameters }) => parameters)];
      for (const config of configs) expect(catalogue().validate(name, config)).toEqual([]);
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

    it('offers functions with names and schemas that every vendor takes', async () => {
      const declarations = await offers(plugin(), working);
      expect(declarations.length).toBeGreaterThan(0);
      for (const declaration of declarations) {
        expect(declaration.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(declaration.description).not.toBe('');
        expect(declaration.parameters).toMatchObject({ type: 'object', additionalProperties: false });
        expect(() => new Ajv().compile(declaration.parameters)).not.toThrow();
      }
      const { function_name: fixed } = plugin().definition;
      if (fixed !== undefined) expect(declarations.map((declaration) => declaration.name)).toEqual([fixed]);
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
