import { same } from '$lib/kit/ui/differences';
import type { Organization, SettingsPatch } from './organization.types';

/** Names of a secret and of the address that it was entered for. */
interface SecretSlot {
  /** Name under which it is sent. */
  readonly secret: string;
  /** Whether there is one comes out under this name. */
  readonly configured: string;
  readonly address: string;
}

const slot = (secret: string, address: string): SecretSlot => ({
  secret,
  configured: `${secret}_configured`,
  address,
});

/** Slots by the part of the settings, and how many names below it lead to the thing that has the slot. */
const SLOTS: Readonly<Record<string, readonly [below: number, slot: SecretSlot]>> = {
  providers: [1, slot('api_key', 'base_url')],
  mcp: [2, slot('token', 'url')],
  knowledge_base: [0, slot('api_token', 'server_url')],
  reranker: [0, slot('api_key', 'url')],
  moodle: [0, slot('token', 'api_url')],
  translator: [0, slot('api_key', 'url')],
};

/** The slot of the provider or server that this path leads to. */
function slotAt([part = '', ...names]: readonly string[]): SecretSlot | null {
  const [below, found] = SLOTS[part] ?? [];
  return found !== undefined && below === names.length ? found : null;
}

type Node = Readonly<Record<string, unknown>>;

/** One thing that a change names: what it is now shown as, what somebody else made of it, what it is to be. */
export interface Overlap {
  readonly path: string;
  readonly theirs: unknown;
  readonly mine: unknown;
  /** Whether it is a secret: nobody sees more of it than that there is one. */
  readonly secret: boolean;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);
const member = (value: unknown, name: string): unknown => (isNode(value) ? value[name] : undefined);
const isSame = (one: unknown, other: unknown): boolean => same(one ?? null, other ?? null);

/**
 * The patch with what has to go along with it. Of a provider or server that is gone by now it is all that the form shows,
 * as a part of it would make another one under the same name. A secret is sent with the address that was shown when it was typed, and
 * what is switched on with the address that was shown, where it is another by now: neither may meet one that nobody here
 * has seen.
 */
export function completed(shown: Organization, now: Organization, patch: SettingsPatch): SettingsPatch {
  const within = (before: unknown, after: unknown, wish: Node, path: readonly string[]): Node => {
    const slot = slotAt(path);
    if (isGone(before, after) && slot !== null) return { ...writable(before), ...wish };
    if (slot !== null) return { ...addressFor(before, after, wish, slot), ...wish };
    const inner = Object.entries(wish).map(([name, mine]) =>
      isNode(mine) ? [name, within(member(before, name), member(after, name), mine, [...path, name])] : [name, mine],
    );
    return Object.fromEntries(inner) as Node;
  };
  return within(shown, now, patch, []) as SettingsPatch;
}

const isGone = (before: unknown, after: unknown): before is Node => isNode(before) && after === undefined;

/** Shown settings in the form of a patch. */
const writable = (shown: Node): Node =>
  Object.fromEntries(
    Object.entries(shown).filter(
      ([name, value]) => value !== null && name !== 'environment' && !name.endsWith('_configured'),
    ),
  );

function addressFor(before: unknown, after: unknown, wish: Node, { secret, address }: SecretSlot): Node {
  // What is new here and there has no other address than the one it comes with.
  if (address in wish || (before === undefined && after === undefined)) return {};
  const seen = member(before, address) ?? null;
  const isOther = !isSame(seen, member(after, address));
  return typeof wish[secret] === 'string' || (wish['enabled'] === true && isOther) ? { [address]: seen } : {};
}

/**
 * Values that a patch would overwrite unseen: others now than those that were shown, and not already what the patch
 * wants. With `doubt`, a secret is one of them, since a new one looks like the old. So is one that the patch does not
 * name but that goes because its address does. A provider or server that is gone by now is one as a whole.
 */
export function overlaps(
  shown: Organization | null,
  now: Organization,
  patch: SettingsPatch,
  doubt: boolean,
): readonly Overlap[] {
  const within = (before: unknown, after: unknown, wish: Node, path: readonly string[]): readonly Overlap[] => {
    const slot = slotAt(path);
    if (slot !== null && isGone(before, after)) return goneEntry(wish, path, slot);
    const lost = slot === null ? [] : lostSecret(before, after, wish, path, slot);
    const named = Object.entries(wish).flatMap(([name, mine]): readonly Overlap[] => {
      const at = [...path, name];
      const isSecret = name === slot?.secret;
      const shownAs = isSecret ? slot.configured : name;
      const [old, theirs] = [member(before, shownAs), member(after, shownAs)];
      if (isSecret) return doubt || old !== theirs ? [{ path: at.join('.'), theirs, mine, secret: true }] : [];
      if (isNode(mine) && !isLeaf(at)) return within(old, theirs, mine, at);
      return isSame(old, theirs) || isSame(theirs, mine) ? [] : [{ path: at.join('.'), theirs, mine, secret: false }];
    });
    return [...named, ...lost];
  };
  const lostSecret = (before: unknown, after: unknown, wish: Node, path: readonly string[], slot: SecretSlot) => {
    const { secret, configured, address } = slot;
    const isMoved = address in wish && !isSame(wish[address], member(after, address));
    const isUnseen = member(after, configured) === true && (doubt || member(before, configured) !== true);
    if (secret in wish || !isMoved || !isUnseen) return [];
    return [{ path: [...path, secret].join('.'), theirs: true, mine: null, secret: true }];
  };
  return within(shown, now, patch, []);
}

/** Without the secret itself, which no dialog shows. */
function goneEntry(wish: Node, path: readonly string[], { secret }: SecretSlot): readonly Overlap[] {
  const mine = Object.fromEntries(Object.entries(wish).filter(([name]) => name !== secret));
  const whole = { path: path.join('.'), theirs: undefined, mine, secret: false };
  if (typeof wish[secret] !== 'string') return [whole];
  return [whole, { path: [...path, secret].join('.'), theirs: false, mine: wish[secret], secret: true }];
}

/** A patch without a single value: sent, it would still make what somebody else removed. */
export const isEmpty = (patch: unknown): boolean => isNode(patch) && Object.values(patch).every(isEmpty);

/** Objects that are chosen as one. */
const isLeaf = ([part]: readonly string[]): boolean => part === 'default_model';

/** Things that one form edits as a whole: a part of the settings, one provider, one server. */
export function unitsOf(patch: SettingsPatch): readonly string[] {
  return Object.entries(patch).flatMap(([part, change]) => {
    if (part === 'providers') return Object.keys(change ?? {}).map((name) => `providers.${name}`);
    if (part === 'mcp') return Object.keys(member(change, 'servers') ?? {}).map((name) => `mcp.servers.${name}`);
    if (part === 'limits') return Object.keys(change ?? {}).map((name) => `limits.${name}`);
    return [part];
  });
}

/** `shown` with `units` as they are `now`: forms that were not saved keep what they began from. */
export function shownAfter(shown: Organization, now: Organization, units: readonly string[]): Organization {
  const parts = units.reduce<Node>((value, unit) => withUnit(value, now, unit.split('.')), shown as unknown as Node);
  const { version, updated_at, suspended } = now;
  return { ...(parts as unknown as Organization), version, updated_at, suspended };
}

function withUnit(shown: unknown, now: unknown, [name = '', ...inner]: readonly string[]): Node {
  const others = Object.entries(isNode(shown) ? shown : {});
  const value = inner.length === 0 ? member(now, name) : withUnit(member(shown, name), member(now, name), inner);
  if (value === undefined) return Object.fromEntries(others.filter(([key]) => key !== name));
  return { ...Object.fromEntries(others), [name]: value };
}
