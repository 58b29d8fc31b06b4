import { Injectable } from '@nestjs/common';
import { ImportedPasswords } from '../../../src/auth';
import type { WriteContext } from '../plan/import-context.types';
import { addressOf } from '../plan/plan-organization';
import type { ImportPlan } from '../plan/plan.types';
import type { LambSource } from '../source/lamb-source.types';

/** Takes over passwords of the organization's members, where the operator chose so. */
@Injectable()
export class PasswordWriter {
  constructor(private readonly passwords: ImportedPasswords) {}

  async write({ userIds }: ImportPlan, { options, organizationId, report, source, tx }: WriteContext): Promise<void> {
    const { passwords } = options.choices;
    if (passwords === null) return;
    const ambiguous = addressesOfSeveral(source, passwords.hashes);
    const addresses = new Map(source.users.map(({ id, email }) => [id, addressOf(email)]));
    const hashes = new Map<string, string>();
    for (const [origin, userId] of [...userIds].sort(([one], [other]) => one - other)) {
      const hash = passwords.hashes.get(origin);
      const address = addresses.get(origin) ?? '';
      if (hash === undefined || hashes.has(userId)) continue;
      if (!ambiguous.has(address)) hashes.set(userId, hash);
      else {
        const message =
          'several users have this address and passwords of their own; none of these passwords works here';
        report.note({ kind: 'user', origin, name: address }, 'passwords.ambiguous', message);
      }
    }
    const given = [...hashes].map(([userId, hash]) => ({ userId, hash }));
    const taken = await this.passwords.take(organizationId, given, passwords.until, tx);
    if (given.length === 0) return;
    const until = passwords.until.toISOString().slice(0, 10);
    const rest = given.length - taken;
    const others = rest === 0 ? '' : `; ${rest} not, because these people signed in here before or the hash is unknown`;
    report.note(
      report.organization,
      'passwords.taken',
      `${taken} passwords work for one sign-in until ${until}${others}`,
    );
  }
}

/** Addresses, also of different organizations, whose users have different passwords. They are one person here. */
function addressesOfSeveral({ users }: LambSource, hashes: ReadonlyMap<number, string>): Set<string> {
  const first = new Map<string, string>();
  const several = new Set<string>();
  for (const { id, email } of users) {
    const [address, hash] = [addressOf(email), hashes.get(id)];
    if (hash === undefined) continue;
    if ((first.get(address) ?? hash) !== hash) several.add(address);
    first.set(address, hash);
  }
  return several;
}
