import { Injectable } from '@nestjs/common';
import { ImportedPasswords } from '../../auth';
import type { WriteContext } from '../plan/import-context.types';
import type { ImportPlan } from '../plan/plan.types';

/** Takes over passwords of the organization's members, where the operator chose so. */
@Injectable()
export class PasswordWriter {
  constructor(private readonly passwords: ImportedPasswords) {}

  async write({ userIds }: ImportPlan, { options, organizationId, report, tx }: WriteContext): Promise<void> {
    const { passwords } = options.choices;
    if (passwords === null) return;
    // Two users with one address are one person here: the first has the password.
    const hashes = new Map<string, string>();
    for (const [origin, userId] of [...userIds].sort(([one], [other]) => one - other)) {
      const hash = passwords.hashes.get(origin);
      if (hash !== undefined && !hashes.has(userId)) hashes.set(userId, hash);
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
