import type { JsonObject } from '../../kernel';
import type { CheckArguments } from './argument-schemas';
import type { FunctionDeclaration, FunctionPlugin } from '../contract';

/** One function that the model may call in a run, and who answers. */
export interface OfferedFunction {
  readonly declaration: FunctionDeclaration;
  readonly plugin: FunctionPlugin;
  /** Complete and checked. */
  readonly config: JsonObject;
  readonly check: CheckArguments;
}

/** The functions of one run, fixed before its first round. Names come from models: Map look-ups only. */
export class FunctionSet {
  private readonly byName: ReadonlyMap<string, OfferedFunction>;

  constructor(readonly functions: readonly OfferedFunction[]) {
    this.byName = new Map(functions.map((offered) => [offered.declaration.name, offered]));
  }

  get isEmpty(): boolean {
    return this.functions.length === 0;
  }

  get declarations(): readonly FunctionDeclaration[] {
    return this.functions.map(({ declaration }) => declaration);
  }

  /** A name that a vendor wrote several times in a row is that name. */
  find(name: string): OfferedFunction | undefined {
    const exact = this.byName.get(name);
    if (exact !== undefined || name.length > MAX_REPEATED) return exact;
    for (const [known, offered] of this.byName) {
      if (name.length % known.length === 0 && known.repeat(name.length / known.length) === name) return offered;
    }
    return undefined;
  }
}

const MAX_REPEATED = 1_024;

export const NO_FUNCTIONS = new FunctionSet([]);
