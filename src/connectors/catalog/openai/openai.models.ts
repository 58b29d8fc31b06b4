import { isJsonObject } from '@bellwether/kernel';
import type { ModelsWire } from '../../contract';

/** API reference, "List models". Together answers the bare array. */
export const OPENAI_MODELS: ModelsWire = {
  request: () => ({ path: '/models' }),
  read: (payload) => {
    const list = isJsonObject(payload) ? payload['data'] : payload;
    if (!Array.isArray(list)) return null;
    return list.flatMap(({ id }: { id?: unknown }) => (typeof id === 'string' ? { id, name: null } : []));
  },
};
