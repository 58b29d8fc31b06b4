import type { JsonObject } from '../../../src/kernel';
import type { ImportedOrganizationValues, OrganizationImport } from '../../../src/organizations';
import { mapAddresses } from '../convert/address-map';
import { cleanLabel } from '../convert/clean-label';
import { readSettings } from '../convert/organization-settings';
import { ownServers, withSystemValues } from '../convert/system-values';
import type { LambOrganization, LambSource } from '../source/lamb-source.types';
import type { ImportContext } from './import-context.types';

/** Name, suspension and settings of the organization. Looks up the addresses of its servers. */
export async function planOrganization(
  slug: string,
  organizations: OrganizationImport,
  context: ImportContext,
): Promise<ImportedOrganizationValues> {
  const { organization, report } = context;
  if (slug !== organization.slug) report.note(report.organization, 'slug.changed', `its slug is ${slug} here`);
  if (organization.status === 'trial') {
    report.note(report.organization, 'status.trial', 'was on trial in LAMB; it is active here');
  }
  if (organization.isSystem) {
    const message = "was LAMB's system organization; it is an ordinary one here";
    report.note(report.organization, 'organization.system', message);
  }
  const settings = accepted(plannedSettings(context), organizations, context);
  for (const { path, url, refusal } of await organizations.unreachable(settings)) {
    if (refusal === null) report.unresolvedAddress(url);
    else report.note(report.organization, 'address.refused', `${path}: ${refusal}; see OUTBOUND_ALLOW`);
  }
  return { name: cleanLabel(organization.name) || slug, suspended: organization.status === 'suspended', settings };
}

/** The settings after the operator's choices, secrets in plain text. */
function plannedSettings({ organization, source, options, report }: ImportContext): JsonObject {
  const { inheritSystem, addresses } = options.choices;
  const { settings: own, notes } = readSettings(organization);
  for (const { code, path, message } of notes) report.note(report.organization, code, `${path} ${message}`);
  const system = inheritSystem ? systemSettings(organization, source) : null;
  const { settings, inherited } = system === null ? { settings: own, inherited: [] } : withSystemValues(own, system);
  for (const path of inherited) {
    report.note(report.organization, 'setting.inherited', `${path} has the system organization's values`);
  }
  noteMissingServers(settings, { organization, source, report }, hint(inheritSystem));
  const { settings: result, mapped } = mapAddresses(settings, addresses);
  for (const { path, url } of mapped) report.note(report.organization, 'address.mapped', `${path} is ${url} here`);
  return result;
}

function noteMissingServers(
  settings: JsonObject,
  { organization, source, report }: Pick<ImportContext, 'organization' | 'source' | 'report'>,
  remedy: string,
): void {
  const { hasProvider, keyless, hasKnowledgeBase } = ownServers(settings);
  if (!hasProvider) {
    const message = 'has no model provider of its own; its assistants cannot answer until one is entered';
    report.note(report.organization, 'provider.none', `${message}; ${remedy}`);
  }
  for (const name of hasProvider ? keyless : []) {
    const message = `its provider ${name} has neither key nor address and cannot answer`;
    report.note(report.organization, 'provider.keyless', `${message}; ${remedy}`);
  }
  if (!hasKnowledgeBase && searches(organization, source)) {
    const message = 'has no knowledge-base server of its own; its assistants find nothing until one is entered';
    report.note(report.organization, 'knowledge_base.none', `${message}; ${remedy}`);
  }
}

/** In LAMB the server's environment supplied missing values; its system organization holds them. */
const hint = (inheritsAlready: boolean): string =>
  inheritsAlready
    ? 'the system organization of LAMB has none either'
    : "LAMB used its server's environment, which --inherit-system takes from its system organization";

/** The settings without the parts that our own rules refuse. */
function accepted(settings: JsonObject, organizations: OrganizationImport, { report }: ImportContext): JsonObject {
  let result = settings;
  for (const { path, message } of organizations.problems(settings)) {
    const [part = '', name = ''] = path.split('.');
    result = part === 'providers' ? withoutProvider(result, name) : { ...result, [part]: null };
    report.note(report.organization, 'setting.left_out', `${path} ${message}`);
  }
  return result;
}

function withoutProvider(settings: JsonObject, name: string): JsonObject {
  const providers = Object.entries(settings['providers'] ?? {}).filter(([key]) => key !== name);
  return { ...settings, providers: providers.length === 0 ? null : Object.fromEntries(providers) };
}

function systemSettings({ id }: LambOrganization, { organizations }: LambSource): JsonObject | null {
  const system = organizations.find(({ isSystem }) => isSystem);
  return system === undefined || system.id === id ? null : readSettings(system).settings;
}

/** True when the organization lists or searches a collection of a knowledge-base server. */
const searches = ({ id }: LambOrganization, { assistants, collections }: LambSource): boolean =>
  collections.some(({ organizationId }) => organizationId === id) ||
  assistants.some(
    ({ organizationId, deleted, ragCollections }) =>
      organizationId === id && !deleted && ragCollections.replaceAll(',', '').trim() !== '',
  );
