import { AppError, type Problem, ROLES } from '../../kernel';
import type { IssuerEntity } from '../issuers/issuer.entity';
import { DEFAULT_SETTINGS, type IssuerSettings } from '../issuers/issuer.types';
import type { UpdateIssuerDto } from './issuer.dto';
import { settingsOf } from './issuer-view';

const MOST_ENTRIES = 200;
const LONGEST = 500;

/** People of other organizations see these members of a service that is on everybody's page. */
const SHOWN_TO_EVERYBODY = ['name', 'logo', 'issuer', 'client_id'] as const;

/** @throws {AppError} `forbidden` */
export function assertReachesNobodyElse(input: UpdateIssuerDto, old: IssuerEntity | null): void {
  const before = old === null ? DEFAULT_SETTINGS : settingsOf(old);
  const isShown = before.listedForEverybody || before.signInDomains.length > 0;
  const changesView =
    isShown &&
    SHOWN_TO_EVERYBODY.some((member) => input[member] !== undefined && input[member] !== shownOf(old, member));
  const asksForMore = input.listed_for_everybody === true || (input.sign_in_domains?.length ?? 0) > 0;
  if (input.for_all === true || old?.forAll === true) {
    throw new AppError('forbidden', 'Only system administrators set a sign-in service of all organizations', {
      reason: 'role.system_admin',
    });
  }
  if (asksForMore || changesView) {
    throw new AppError(
      'forbidden',
      'Only system administrators set how a sign-in service appears to people of other organizations',
      { reason: 'role.system_admin' },
    );
  }
}

const shownOf = (row: IssuerEntity | null, member: (typeof SHOWN_TO_EVERYBODY)[number]): unknown =>
  row === null ? undefined : { name: row.name, logo: row.logo, issuer: row.url, client_id: row.clientId }[member];

/** Problems that no single member shows. */
export function problemsOf({ accounts, linkVerifiedEmail, rules }: IssuerSettings, input: UpdateIssuerDto): Problem[] {
  const problems: Problem[] = [];
  if (accounts === 'invitation' && !linkVerifiedEmail && rules.externalIdClaim === null) {
    problems.push({
      path: 'link_verified_email',
      message:
        'must be true when accounts is invitation, unless external_id_claim is set; otherwise nobody can sign in',
      code: 'issuer.needs_link',
    });
  }
  const maps = {
    roles: [input.roles, (value: unknown) => ROLES.some((role) => role === value), `one of ${ROLES.join(', ')}`],
    organizations: [input.organizations, (value: unknown) => typeof value === 'string', 'a slug'],
    email_domains: [input.email_domains, (value: unknown) => typeof value === 'string', 'a slug'],
  } as const;
  for (const [path, [map = {}, isGood, wanted]] of Object.entries(maps)) {
    const entries = Object.entries(map);
    const isSized = entries.length <= MOST_ENTRIES && entries.every(([name]) => name.length <= LONGEST && name !== '');
    if (!isSized || !entries.every(([, value]) => isGood(value) && String(value).length <= LONGEST)) {
      problems.push({ path, message: `must hold at most ${MOST_ENTRIES} entries, each with ${wanted}` });
    }
  }
  return problems;
}
