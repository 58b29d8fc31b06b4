import type { JsonObject } from '@bellwether/kernel';
import { Ajv } from 'ajv';
import type { FunctionContext, FunctionDeclaration, FunctionOutput, FunctionPlugin } from '../contract';
import { FunctionCatalogue } from '../tool-catalogue';
import { CALLER, OWNER } from './call';

/** A call's surroundings that record its progress. */
export function functionContext(
  overrides: Partial<FunctionContext> = {},
): FunctionContext & { readonly told: readonly string[] } {
  const told: string[] = [];
  return {
    told,
    signal: new AbortController().signal,
    owner: OWNER,
    caller: CALLER,
    assistantId: 1,
    assistants: null,
    runId: '0195f2a0-0000-7000-8000-000000000004',
    connector: 'auto',
    progress: (message) => void told.push(message),
    ...overrides,
  };
}

/** An entry's config as the loop hands it on: checked, with defaults. */
export function prepared(plugin: FunctionPlugin, config: JsonObject = {}): JsonObject {
  const { config: complete, problems } = new FunctionCatalogue([plugin]).prepare(plugin.definition.name, config);
  if (problems.length > 0) throw new Error(`The config is refused: ${JSON.stringify(problems)}`);
  return complete;
}

export const offers = (
  plugin: FunctionPlugin,
  config: JsonObject = {},
  overrides: Partial<FunctionContext> = {},
): Promise<readonly FunctionDeclaration[]> => plugin.offer(prepared(plugin, config), functionContext(overrides));

/** Calls the one function that an entry offers, with arguments that its schema admits. */
export async function callOnly(
  plugin: FunctionPlugin,
  args: JsonObject,
  { config = {}, ...overrides }: Partial<FunctionContext> & { readonly config?: JsonObject } = {},
): Promise<FunctionOutput> {
  const [declaration] = await offers(plugin, config, overrides);
  if (declaration === undefined) throw new Error('Nothing is offered');
  const validate = new Ajv({ allErrors: true }).compile(declaration.parameters);
  if (!validate(args)) throw new Error(`The arguments are refused: ${JSON.stringify(validate.errors)}`);
  return plugin.call(declaration.name, args, prepared(plugin, config), functionContext(overrides));
}
