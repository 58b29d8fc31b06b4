import { OperatorError } from '@bellwether/kernel';
import type { ClassProvider, DynamicModule, FactoryProvider, Provider, Type, ValueProvider } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';

/** A provider of Nest with the token of another one. */
export type Override = ClassProvider | ValueProvider | FactoryProvider;

const { IMPORTS, PROVIDERS } = MODULE_METADATA;

interface Place {
  readonly providers: readonly Provider[];
  readonly set: (providers: readonly Provider[]) => void;
}

type Imported = Type | DynamicModule | Promise<DynamicModule> | { forwardRef(): Type };

const tokenOf = (provider: Provider): unknown => (typeof provider === 'function' ? provider : provider.provide);

const listOf = <T>(key: string, module: Type): readonly T[] => (Reflect.getMetadata(key, module) ?? []) as readonly T[];

/** Every list of providers below a module, that of each class and of each dynamic module. */
async function placesIn(root: DynamicModule): Promise<readonly Place[]> {
  const places: Place[] = [];
  const seen = new Set<unknown>();
  const visit = async (imported: Imported): Promise<void> => {
    const found = await imported;
    const module = 'forwardRef' in found ? found.forwardRef() : found;
    if (seen.has(module)) return;
    seen.add(module);
    if (typeof module === 'function') {
      const set = (providers: readonly Provider[]): void => Reflect.defineMetadata(PROVIDERS, providers, module);
      places.push({ providers: listOf<Provider>(PROVIDERS, module), set });
      for (const each of listOf<Imported>(IMPORTS, module)) await visit(each);
      return;
    }
    places.push({
      providers: module.providers ?? [],
      set: (providers) => void Object.assign(module, { providers: [...providers] }),
    });
    for (const each of (module.imports ?? []) as readonly Imported[]) await visit(each);
    await visit(module.module);
  };
  await visit(root);
  return places;
}

/** One start at a time: the lists belong to classes, which all applications of a process share. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs `create` while overrides stand in the lists of providers, from which Nest reads once, and puts the lists back.
 * @throws OperatorError for a token that no module provides
 */
export async function withOverrides<T>(
  root: DynamicModule,
  overrides: readonly Override[],
  create: () => Promise<T>,
): Promise<T> {
  if (overrides.length === 0) return create();
  const byToken = new Map<unknown, Override>(overrides.map((each) => [each.provide, each]));
  const work = turn.then(async () => {
    const places = (await placesIn(root)).filter(({ providers }) =>
      providers.some((each) => byToken.has(tokenOf(each))),
    );
    const known = new Set(places.flatMap(({ providers }) => providers.map(tokenOf)));
    const unknown = [...byToken.keys()].filter((token) => !known.has(token)).map(String);
    if (unknown.length > 0)
      throw new OperatorError(`No module provides what overrides replaces: ${unknown.join(', ')}`);
    for (const { providers, set } of places) set(providers.map((each) => byToken.get(tokenOf(each)) ?? each));
    try {
      return await create();
    } finally {
      for (const { providers, set } of places) set(providers);
    }
  });
  turn = work.catch(() => undefined);
  return work;
}
