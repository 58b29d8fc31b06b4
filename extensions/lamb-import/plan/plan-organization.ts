import { type JsonObject, type Role, isJsonObject, isStorableText } from '@bellwether/kernel';
import type { LambOrganization, LambSource, LambUser } from '@bellwether/lamb-reader';
import { type ImportedOrganizationValues, type OrganizationImport, rankOf } from '../../../src/organizations';
import { mapAddresses } from '../metadata-references';
import { cleanLabel, readSettings } from '../organization-settings';
import type { ItemRef } from '../report-builder';
import type { ImportContext } from './plan.types';

const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

/** One person in the organization, by e-mail address. */
export interface Person {
  /** The first of the source's users with this address. */
  readonly origin: number;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly disabled: boolean;
}

export interface People {
  readonly all: readonly Person[];
  /** Addresses by the source's user id, duplicates included. */
  readonly addresses: ReadonlyMap<number, string>;
}

export const addressOf = (email: string): string => email.trim().toLowerCase();

const refTo = ({ id, email }: LambUser): ItemRef => ({ kind: 'user', origin: id, name: cleanLabel(email) });

/** LAMB's creators become teachers, its end users members. */
function roleOf(user: LambUser, given: string | undefined): Role {
  if (given === 'owner' || given === 'admin') return given;
  return user.userType.includes('creator') ? 'teacher' : 'member';
}

function merged(one: Person, other: Person): Person {
  const role = rankOf(other.role) > rankOf(one.role) ? other.role : one.role;
  return { ...one, role, disabled: one.disabled && other.disabled };
}

/** Users of the organization, users with a role in it, and users of no organization who own something in it. */
function usersOf({ source, organization }: ImportContext, owners: ReadonlySet<string>) {
  const own = source.roles.filter(({ organizationId }) => organizationId === organization.id);
  const roles = new Map(own.map((row) => [row.userId, row.role]));
  const placed = new Set(source.roles.map(({ userId }) => userId));
  const users = source.users.filter(
    (user) =>
      user.organizationId === organization.id ||
      roles.has(user.id) ||
      (user.organizationId === null && !placed.has(user.id) && owners.has(addressOf(user.email))),
  );
  return { users: users.sort((a, b) => a.id - b.id), roles };
}

function noteRights(user: LambUser, { organization, report }: ImportContext): void {
  if (user.isSystemAdmin) {
    report.note(refTo(user), 'user.system_admin', 'administered all of LAMB; here they have the rights of their role');
  }
  if (user.organizationId === null && !organization.isSystem) {
    report.note(refTo(user), 'user.placed', 'was in no organization, and became a member because they own items here');
  }
}

function idsByAddress({ users }: LambSource): ReadonlyMap<string, readonly number[]> {
  const ids = new Map<string, number[]>();
  for (const { id, email } of users) ids.set(addressOf(email), [...(ids.get(addressOf(email)) ?? []), id]);
  return ids;
}

/** The organization's people. `owners`: lower-case addresses that own something in it. */
export function peopleOf(context: ImportContext, owners: ReadonlySet<string>): People {
  const { report } = context;
  const { users, roles } = usersOf(context, owners);
  const people = new Map<string, Person>();
  const own = new Set(users.map(({ id }) => id));
  const twins = idsByAddress(context.source);
  const addresses = new Map<number, string>();
  for (const user of users) {
    const email = addressOf(user.email);
    if (!ADDRESS.test(email) || !isStorableText(email)) {
      report.leaveOut(refTo(user), 'user.address', 'has no valid e-mail address');
      continue;
    }
    addresses.set(user.id, email);
    noteRights(user, context);
    const name = cleanLabel(user.name) || email;
    const person = { origin: user.id, email, name, role: roleOf(user, roles.get(user.id)), disabled: !user.enabled };
    const known = people.get(email);
    // LAMB tells upper and lower case apart.
    const other = known?.origin ?? twins.get(email)?.find((id) => id !== user.id && !own.has(id));
    if (other !== undefined) {
      report.note(refTo(user), 'user.merged', `has the e-mail address of user ${other}; they are one person here`);
    }
    people.set(email, known === undefined ? person : merged(known, person));
  }
  const askers = [...people.values()].filter(({ role }) => role === 'member').length;
  if (askers > 0) {
    const message = `its end users (${askers}) see published assistants and those shared with them; teachers see all`;
    report.note(report.organization, 'members.published_only', message);
  }
  return { all: [...people.values()], addresses };
}

/** Users of no organization who own nothing: no import takes them over. */
export function usersWithoutOrganization(source: LambSource): LambUser[] {
  const placed = new Set(source.roles.map(({ userId }) => userId));
  const owned = [...source.assistants, ...source.rubrics, ...source.promptTemplates];
  const owners = new Set(owned.map(({ ownerEmail }) => addressOf(ownerEmail)));
  for (const { ownerUserId } of source.collections) placed.add(ownerUserId);
  return source.users.filter(
    ({ id, organizationId, email }) => organizationId === null && !placed.has(id) && !owners.has(addressOf(email)),
  );
}

/** The servers of an organization's own settings. In LAMB the server's environment supplied missing ones. */
interface OwnServers {
  /** An enabled provider has a key or an address. */
  readonly hasProvider: boolean;
  /** Enabled providers without key and address. */
  readonly keyless: readonly string[];
  readonly hasKnowledgeBase: boolean;
}

const entriesOf = (value: unknown): [string, JsonObject][] =>
  isJsonObject(value)
    ? Object.entries(value).flatMap(([name, entry]) => (isJsonObject(entry) ? [[name, entry]] : []))
    : [];

const isEnabled = (provider: JsonObject): boolean => provider['enabled'] !== false;
const isEquipped = (provider: JsonObject): boolean =>
  provider['api_key'] !== undefined || provider['base_url'] !== undefined;

export function ownServers(settings: JsonObject): OwnServers {
  const enabled = entriesOf(settings['providers']).filter(([, provider]) => isEnabled(provider));
  const base = settings['knowledge_base'];
  return {
    hasProvider: enabled.some(([, provider]) => isEquipped(provider)),
    keyless: enabled.filter(([, provider]) => !isEquipped(provider)).map(([name]) => name),
    hasKnowledgeBase: isJsonObject(base) && base['server_url'] !== undefined,
  };
}

/**
 * Fills missing settings with those of the system organization: keys and addresses of providers, all providers where there
 * is none, and the knowledge-base server. The organization's own values are kept, and disabled providers stay disabled.
 */
export function withSystemValues(
  own: JsonObject,
  system: JsonObject,
): { readonly settings: JsonObject; readonly inherited: readonly string[] } {
  const { hasProvider, hasKnowledgeBase } = ownServers(own);
  const providers = new Map(entriesOf(own['providers']));
  const inherited: string[] = [];
  for (const [name, provider] of entriesOf(system['providers'])) {
    if (!isEnabled(provider) || !isEquipped(provider)) continue;
    const present = providers.get(name);
    const isComplete = present === undefined ? hasProvider : !isEnabled(present) || isEquipped(present);
    if (isComplete) continue;
    providers.set(name, { ...provider, ...present });
    inherited.push(`providers.${name}`);
  }
  let settings = inherited.length === 0 ? own : { ...own, providers: Object.fromEntries(providers) };
  if (inherited.length > 0) settings = { ...settings, default_model: own['default_model'] ?? system['default_model'] };
  if (!hasKnowledgeBase && ownServers(system).hasKnowledgeBase) {
    settings = { ...settings, knowledge_base: system['knowledge_base'] };
    inherited.push('knowledge_base');
  }
  return { settings, inherited };
}

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

/** Hint for missing values. LAMB takes them from the server's environment; its system organization holds them. */
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
