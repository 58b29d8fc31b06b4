import type { Vendor } from '../platform/config';
import { CONNECTOR_PLUGINS, EMBEDDING_PLUGINS } from './catalog';

/** Every vendor that a plugin declares, once each. */
export const VENDORS: readonly Vendor[] = [
  ...new Set(
    [...CONNECTOR_PLUGINS, ...EMBEDDING_PLUGINS].flatMap(({ definition: { vendor } }) =>
      vendor === null ? [] : [vendor],
    ),
  ),
];
