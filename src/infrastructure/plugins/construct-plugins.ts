import type { Type } from '@nestjs/common';
import { PARAMTYPES_METADATA, SELF_DECLARED_DEPS_METADATA } from '@nestjs/common/constants.js';

/** Services by injection token. */
export type Doubles = ReadonlyMap<unknown, object>;

/** Builds plugins outside the container. A service without a double rejects every call. */
export const constructPlugins = <Plugin>(classes: readonly Type<Plugin>[], doubles: Doubles): Plugin[] =>
  classes.map((plugin) => new plugin(...tokensOf(plugin).map((token) => doubles.get(token) ?? ABSENT)));

/** Injection tokens in the order of the constructor's parameters; `@Inject` overrides the declared type. */
function tokensOf(plugin: Type<unknown>): unknown[] {
  const tokens = [...((Reflect.getMetadata(PARAMTYPES_METADATA, plugin) ?? []) as unknown[])];
  const injected = (Reflect.getMetadata(SELF_DECLARED_DEPS_METADATA, plugin) ?? []) as {
    readonly index: number;
    readonly param: unknown;
  }[];
  for (const { index, param } of injected) tokens[index] = param;
  return tokens;
}

const ABSENT = new Proxy(
  {},
  { get: (_, member) => () => Promise.reject(new Error(`no service answers ${String(member)} here`)) },
);
