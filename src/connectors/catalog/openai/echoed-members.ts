import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import type { EchoedMembers } from '../../contract';

/** Echoed members of a message or a delta; undefined where it has none. */
export function echoedIn({
  reasoning_content: reasoning,
  extra_content: extra,
}: JsonObject): EchoedMembers | undefined {
  if (typeof reasoning !== 'string' && !isJsonObject(extra)) return undefined;
  return {
    ...(typeof reasoning === 'string' ? { reasoning_content: reasoning } : {}),
    ...(isJsonObject(extra) ? { extra_content: extra } : {}),
  };
}
