import type { Vendor } from '../infrastructure/config';
import { CONNECTOR_PLUGINS } from './catalog';

/** Every vendor that a connector declares, once each. */
export const VENDORS: readonly Vendor[] = [
  ...new Set(CONNECTOR_PLUGINS.flatMap(({ definition: { vendor } }) => (vendor === null ? [] : [vendor]))),
];
