import { Injectable } from '@nestjs/common';
import { type AssistantDocument, checkFunctions, type Diagnostic, error, placedFunctions } from '../definition';
import type { Caller, Principal } from '../../kernel';
import { FunctionCatalogue, type OfferContext } from '../../tools';

/** Time limit for all functions to give their names. */
const PATIENCE_MS = 2_000;

/** Checks the functions of a document: their types, configs and names. */
@Injectable()
export class FunctionChecks {
  constructor(private readonly functions: FunctionCatalogue) {}

  async check(document: AssistantDocument, owner: Principal): Promise<Diagnostic[]> {
    return [...checkFunctions(document.raw, this.functions), ...(await this.names(document, owner))];
  }

  /**
   * Entries with equal names for the model. Names of different kinds differ by their prefix, so only entries of one
   * kind are compared.
   */
  private async names(document: AssistantDocument, owner: Principal): Promise<Diagnostic[]> {
    const placed = placedFunctions(document.raw).map((entry) => ({
      ...entry,
      plugin: this.functions.find(entry.type),
    }));
    const kinds = placed.map(({ plugin }) => plugin);
    const several = placed.filter(({ plugin }, at) => kinds.indexOf(plugin) !== at || kinds.lastIndexOf(plugin) !== at);
    const found: Diagnostic[] = [];
    const first = new Map<string, string>();
    for (const { base, plugin, type, config } of several) {
      if (plugin === undefined || !plugin.definition.allow_multiple) continue;
      const prepared = this.functions.prepare(type, config);
      if (prepared.problems.length > 0) continue;
      const offered = await plugin.offer(prepared.config, nobodyCalling(owner)).catch(() => []);
      for (const { name } of offered) {
        const earlier = first.get(name);
        if (earlier === undefined) first.set(name, base);
        else
          found.push(
            error('function.duplicate', base, `its function ${name} is declared by ${earlier} already`, {
              reason: 'function.name_taken',
              name,
            }),
          );
      }
    }
    return found;
  }
}

/** Functions are only asked for their names, so every assistant is offered. */
function nobodyCalling(owner: Principal): OfferContext {
  const caller: Caller = {
    ...owner,
    kind: 'system',
    credentialId: null,
    organizationSlug: '',
    role: 'member',
    systemAdmin: false,
    scopes: [],
    assistantIds: null,
  };
  const assistants: OfferContext['assistants'] = {
    offer: (id) => Promise.resolve({ name: String(id), description: null }),
    run: () => Promise.reject(new Error('Nothing is called while names are asked for')),
  };
  return { signal: AbortSignal.timeout(PATIENCE_MS), owner, caller, assistantId: 0, assistants };
}
