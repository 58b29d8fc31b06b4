import { isJsonObject, type JsonObject, type Problem } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { closestName, ConfigSchemas } from '../../../src/tools';
import { EXPECTATION_PLUGINS } from '../catalog';
import type { CheckContext, Expectation, ExpectationDefinition, Outcome, TestedAnswer } from '../contract';

/** An expectation of a test, as it is stored. */
export interface StatedExpectation {
  readonly kind: string;
  readonly config: JsonObject;
}

/** All kinds of expectations. */
@Injectable()
export class ExpectationCatalogue {
  private readonly kinds = new Map<string, Expectation>(
    EXPECTATION_PLUGINS.map((each) => [each.definition.name, each]),
  );
  private readonly schemas = new ConfigSchemas('expectation');

  constructor() {
    for (const [name, { definition }] of this.kinds) this.schemas.add(name, definition.config_schema);
  }

  definitions(): readonly ExpectationDefinition[] {
    return [...this.kinds.values()].map(({ definition }) => definition);
  }

  /** Paths begin with `path`. */
  problems({ kind, config }: StatedExpectation, path: string): readonly Problem[] {
    if (!this.kinds.has(kind)) {
      const close = closestName(kind, [...this.kinds.keys()]);
      const hint = close === null ? '' : `; did you mean ${close}?`;
      return [{ path: `${path}.kind`, message: `is no kind of expectation${hint}` }];
    }
    const under = (inner: string): string => (inner === '' ? `${path}.config` : `${path}.config.${inner}`);
    return this.schemas.exactProblems(kind, config).map((problem) => ({ ...problem, path: under(problem.path) }));
  }

  /** Ids of rubrics in the settings, by member. */
  rubricsIn({ kind, config }: StatedExpectation): ReadonlyMap<string, string> {
    const properties = this.kinds.get(kind)?.definition.config_schema['properties'];
    const named = new Map<string, string>();
    for (const [name, schema] of Object.entries(isJsonObject(properties) ? properties : {})) {
      const id = config[name];
      if (isJsonObject(schema) && schema['x-reference'] === 'rubric' && typeof id === 'string') named.set(name, id);
    }
    return named;
  }

  /** `gone` for a kind that this release does not know. */
  async check({ kind, config }: StatedExpectation, answer: TestedAnswer, context: CheckContext): Promise<Outcome> {
    const plugin = this.kinds.get(kind);
    return plugin === undefined ? { status: 'gone', found: kind } : plugin.check(config, answer, context);
  }

  /** Expectations that the answer meets. */
  proposals(answer: TestedAnswer): readonly StatedExpectation[] {
    return [...this.kinds].flatMap(([kind, plugin]) =>
      (plugin.propose?.(answer) ?? []).map((config) => ({ kind, config })),
    );
  }
}
