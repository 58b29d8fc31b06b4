import { Ajv, type ErrorObject } from 'ajv';
import {
  invalid,
  isJsonObject,
  isPlainName,
  type JsonObject,
  NAME_RULE,
  type Problem,
  valueProblem,
} from '../../kernel';
import { PLAIN_NAME } from './limit.schema';
import { settingsPatchSchema } from './settings.schema';
import type { OrganizationSettings } from './settings.types';

/** A validated patch: an absent member is kept, null removes it, a value merges. */
export type SettingsPatch = {
  readonly [Part in keyof OrganizationSettings]: JsonObject | readonly unknown[] | null;
} & { readonly name?: string };

const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true })
  .addFormat(PLAIN_NAME, isPlainName)
  .compile<SettingsPatch>(settingsPatchSchema);

/** Converts a JSON pointer: `/providers/openai/models/2` → `providers.openai.models[2]`. */
const pathOf = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => {
      if (/^\d+$/.test(part)) return `${path}[${part}]`;
      return path === '' ? part : `${path}.${part}`;
    }, '');

function problemOf(error: ErrorObject): Problem {
  const path = pathOf(error.instancePath);
  const worded = valueProblem(error.keyword, error.params);
  const child = (name: unknown): string => (path === '' ? String(name) : `${path}.${String(name)}`);
  if (error.keyword === 'additionalProperties') {
    return { path: child(error.params['additionalProperty']), message: 'is not a known property', ...worded };
  }
  if (error.keyword === 'required') {
    return { path: child(error.params['missingProperty']), message: 'is missing', ...worded };
  }
  if (error.keyword === 'propertyNames') {
    return { path: child(error.params['propertyName']), message: 'is not a possible name', ...worded };
  }
  if (error.params['format'] === PLAIN_NAME) return { path, message: NAME_RULE, ...valueProblem('pattern') };
  return { path, message: error.message ?? 'is not valid', ...worded };
}

/**
 * Refuses providers that no connector declares. An import may have stored one: removing it stays possible.
 * @throws {AppError} `validation_failed`
 */
export function assertKnownProviders({ providers }: SettingsPatch, known: readonly string[]): void {
  const unknown = Object.entries(isJsonObject(providers) ? providers : {}).flatMap(([name, provider]) =>
    provider === null || known.includes(name)
      ? []
      : {
          path: `providers.${name}`,
          message: `is not a known provider; known are ${known.join(', ')}`,
          code: 'provider.unknown',
          values: { name, known: known.join(', ') },
        },
  );
  if (unknown.length > 0) throw invalid(unknown);
}

/** LAMB writes `small_fast_model`, as a name or as `{provider, model}`. Our `fast_model` wins. */
function withFastModel(provider: unknown): unknown {
  if (!isJsonObject(provider) || !('small_fast_model' in provider)) return provider;
  const { small_fast_model: small, ...rest } = provider;
  const fast = isJsonObject(small) ? small['model'] : small;
  return { fast_model: fast, ...rest };
}

/** @throws {AppError} `validation_failed` listing every problem with its path. */
export function validSettingsPatch(body: unknown): SettingsPatch {
  if (!validate(body)) {
    // Ajv reports a bad property name twice: as `propertyNames` and as its pattern.
    throw invalid((validate.errors ?? []).filter(({ propertyName }) => propertyName === undefined).map(problemOf));
  }
  const patch: SettingsPatch = body;
  if (!isJsonObject(patch.providers)) return patch;
  const providers = Object.entries(patch.providers).map(([name, provider]) => [name, withFastModel(provider)]);
  return { ...patch, providers: Object.fromEntries(providers) as JsonObject };
}
