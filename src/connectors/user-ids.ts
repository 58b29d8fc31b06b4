import { isJsonObject, type JsonObject } from '../kernel';
import type { VendorUserIds } from '../organizations';
import type { Connector, ModelRequest } from './contract';

/** Members of OpenAI's body that name the person. */
const NAMING_PARAMS: ReadonlySet<string> = new Set(['user', 'safety_identifier']);
/** Members of `metadata` that name the end user (`END_USER_SOURCES`). */
const NAMING_METADATA: ReadonlySet<string> = new Set(['user_id', 'lti_user_id', 'lis_person_sourcedid', 'email']);

const without = (object: JsonObject, names: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)));

/** The parameters without identifiers of people. */
export function anonymousParams(params: JsonObject): JsonObject {
  const { metadata, ...rest } = without(params, NAMING_PARAMS);
  if (!isJsonObject(metadata)) return metadata === undefined ? rest : { ...rest, metadata };
  const kept = without(metadata, NAMING_METADATA);
  return Object.keys(kept).length === 0 ? rest : { ...rest, metadata: kept };
}

/** Applies the organization's choice to every request. `pseudonymOf` finds the person of a run. */
export function withUserIds(
  connector: Connector,
  choice: VendorUserIds,
  pseudonymOf: (runId: string) => string | null,
): Connector {
  if (choice === 'as_sent') return connector;
  const identified = (request: ModelRequest, runId: string): ModelRequest => {
    const params = anonymousParams(request.params);
    const pseudonym = choice === 'pseudonymous' ? pseudonymOf(runId) : null;
    return pseudonym === null ? { ...request, params } : { ...request, params, pseudonym };
  };
  return {
    definition: connector.definition,
    complete: (request, target, context) => connector.complete(identified(request, context.runId), target, context),
    stream: (request, target, context) => connector.stream(identified(request, context.runId), target, context),
  };
}
