import type { Plugin } from '@bellwether/plugin';
import type { Vendor } from '../infrastructure/config';
import type { Plugins } from '../infrastructure/plugins';
import { CONNECTOR_PLUGINS } from './catalog';
import type { ConnectorPlugin } from './contract';
import { connectorPlugin } from './vendor';

const isVendors = ({ definition }: ConnectorPlugin): boolean => definition.vendor !== null;

/** The catalogue and the connectors of plugins: one of the same name takes the place of ours. `auto` asks vendors first. */
export function connectorsWith(plugins: Plugins): readonly ConnectorPlugin[] {
  const given = (plugins ?? []).flatMap(({ connectors }) => connectors.map(connectorPlugin));
  const isOurs = ({ definition: { name } }: ConnectorPlugin): boolean =>
    CONNECTOR_PLUGINS.some((each) => each.definition.name === name);
  const own = CONNECTOR_PLUGINS.map(
    (each) => given.find(({ definition: { name } }) => name === each.definition.name) ?? each,
  );
  const added = given.filter((each) => !isOurs(each));
  const place = own.findIndex((each) => !isVendors(each));
  return [
    ...own.slice(0, place),
    ...added.filter(isVendors),
    ...own.slice(place),
    ...added.filter((each) => !isVendors(each)),
  ];
}

const vendorsOf = (connectors: readonly Pick<ConnectorPlugin, 'definition'>[]): Vendor[] =>
  connectors.flatMap(({ definition: { vendor } }) => vendor ?? []);

/** Every vendor that a connector of ours declares, once each. */
export const VENDORS: readonly Vendor[] = [...new Set(vendorsOf(CONNECTOR_PLUGINS))];

/** These vendors, and those that plugins declare: the configuration is read with them. */
export function vendorsWith(plugins: readonly Plugin[]): readonly Vendor[] {
  const added = plugins.flatMap(({ connectors }) => vendorsOf(connectors));
  return [...VENDORS.filter(({ name }) => !added.some((each) => each.name === name)), ...added];
}
