import { jsonOf, received, type Schema } from '$lib/kit/api/client';
import { problemOf, ProblemError } from '$lib/kit/api/problem';
import { forgetCatalogues } from '$lib/app/catalogues/fetched';
import { session } from './session.svelte';

const DOOR = '/api/v1/session';

export interface Doors {
  readonly providers: readonly {
    readonly name: string;
    /** Name of the organization whose account it opens; null where the provider's claims decide. */
    readonly organization: string | null;
    readonly url: string;
    readonly logo: string | null;
  }[];
  /** Whether an imported password can sign somebody in. */
  readonly password: boolean;
  /** Whether the service sends sign-in links by e-mail. */
  readonly mail: boolean;
  /** Address at which the browser also ends the institution's session. */
  readonly sign_out_url: string | null;
}

/** After a password that is used up. */
export interface SignedInByPassword {
  /** Memory holds what somebody else saw: the page must be loaded anew. */
  readonly isSomebodyElse: boolean;
  /** Ways to sign in from now on. */
  readonly providers: Doors['providers'];
}

export type LinkedPerson = Schema<'LinkedPersonDto'>;

/** Not by `api`, for which an answer 401 means that the session has ended. */
async function posted(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const response = await received(fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }));
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** The ways in that the service offers beside an API key: to everybody, in an organization, or for an e-mail domain. */
export async function doorsFor(query: Readonly<Record<string, string>> = {}): Promise<Doors> {
  const asked = new URLSearchParams(query).toString();
  const response = await received(fetch(asked === '' ? DOOR : `${DOOR}?${asked}`));
  if (!response.ok) throw await problemOf(response);
  const {
    providers = [],
    password = false,
    mail = false,
    sign_out_url = null,
  } = (await jsonOf(response)) as Partial<Doors>;
  return { providers, password, mail, sign_out_url };
}

/** Begins to sign in at an institution; the address to go to. Throws a `ProblemError`. */
export async function beginAt(url: string, returnTo: string): Promise<string> {
  const query = new URLSearchParams({ return_to: returnTo });
  const response = await received(fetch(`${url}?${query.toString()}`, { method: 'POST' }));
  if (!response.ok) throw await problemOf(response);
  return ((await jsonOf(response)) as { url: string }).url;
}

/**
 * Opens a session with an API key; the key itself is not kept. True when memory holds what somebody else saw: then the
 * page must be loaded anew. Throws a `ProblemError`.
 */
export const signIn = async (apiKey: string): Promise<boolean> =>
  (await enter(DOOR, { api_key: apiKey })).isSomebodyElse;

/** Signs in like `signIn`, and uses the link up. */
export const signInByLink = async (token: string): Promise<boolean> =>
  (await enter(`${DOOR}/link`, { token })).isSomebodyElse;

/** Asks for a link by e-mail, which comes only if somebody has the address. Throws a `ProblemError`. */
export async function askForLink(email: string, language: string): Promise<void> {
  await posted(`${DOOR}/mail`, { email, language });
}

/** Signs in like `signIn`, with a password that an import brought, and uses it up. */
export async function signInByPassword(email: string, password: string): Promise<SignedInByPassword> {
  const { isSomebodyElse, answer } = await enter(`${DOOR}/password`, { email, password });
  const { providers } = (await jsonOf(answer)) as Pick<SignedInByPassword, 'providers'>;
  return { isSomebodyElse, providers };
}

/** The person that a sign-in link signs in. Throws a `ProblemError`, 401 for a used link. */
export const linkedPerson = async (token: string): Promise<LinkedPerson> =>
  (await jsonOf(await posted(`${DOOR}/link/person`, { token }))) as LinkedPerson;

export type JoinOffer = Schema<'JoinOfferDto'>;

/** Tells what the code of a class leads to. Throws a `ProblemError`: 404 for an unknown code, 410 for one that is over. */
export async function joinOffer(code: string): Promise<JoinOffer> {
  const response = await received(fetch(`/api/v1/join/${encodeURIComponent(code)}`));
  if (!response.ok) throw await problemOf(response);
  return (await jsonOf(response)) as JoinOffer;
}

/** Joins by a code, and signs in who is not. Throws a `ProblemError`. */
export async function join(
  code: string,
  name: string | undefined,
): Promise<{ readonly to: string; readonly isSomebodyElse: boolean }> {
  const { isSomebodyElse, answer } = await enter('/api/v1/join', { code, ...(name !== undefined && { name }) });
  const { redirect: to } = (await jsonOf(answer)) as Schema<'JoinedDto'>;
  return { to, isSomebodyElse };
}

async function enter(
  door: string,
  body: object,
): Promise<{ readonly isSomebodyElse: boolean; readonly answer: Response }> {
  const answer = await posted(door, body);
  forgetCatalogues();
  const { me, isSomebodyElse } = await session.entered();
  // The service gave a cookie and does not get it back: a secure one over plain http, or two of one name on this host.
  if (me === null) throw new ProblemError(0, 'cookie_not_kept', 'The browser did not keep the cookie of the session');
  return { isSomebodyElse, answer };
}

/** Returns where the page goes next: for people of an institution there, where their session ends. */
export async function signOut(): Promise<string> {
  const next = await doorsFor().then(
    (doors) => doors.sign_out_url,
    () => null,
  );
  if (next === null) {
    const response = await received(fetch(DOOR, { method: 'DELETE' }));
    if (!response.ok && response.status !== 401) throw await problemOf(response);
  }
  session.signedOut();
  return next ?? '/sign-in';
}
