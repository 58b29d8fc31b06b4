import { AppError, type Caller, type Role, assertUnrestricted, invalid } from '@bellwether/kernel';
import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { ZipFile } from 'yazl';
import { type OrganizationRequest, assertOutranks } from '../organizations';
import { RunsService } from '../runs';
import { ErasurePlans } from './erasure/erasure-plan.service';
import type { ErasurePlan, Subject } from './erasure/erasure.types';
import { type ErasureRequest, Erasures } from './erasure/erasures.service';
import { type ExportedFile, PersonExports } from './person-export.service';
import { OrganizationExports } from './organization/organization-export.service';
import type { ErasePersonDto } from './privacy.dto';

/** The files as a ZIP archive. An error of the files destroys the stream. */
export function zipStream(files: AsyncIterable<ExportedFile>): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  zip.on('error', (error: Error) => output.destroy(error));
  zip.outputStream.pipe(output);
  let source: Readable | null = null;
  output.once('close', () => source?.destroy());
  const add = async (): Promise<void> => {
    for await (const { path, content } of files) {
      source = Readable.from(content);
      zip.addReadStream(source, path);
      await finished(source, { writable: false });
      if (output.destroyed) return;
    }
    zip.end();
  };
  add().catch((error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error))));
  return output;
}

export interface Archive {
  readonly filename: string;
  readonly stream: Readable;
}

/** Checks the rights to export and erase data of a person or an organization. */
@Injectable()
export class PersonData {
  constructor(
    private readonly exports: PersonExports,
    private readonly plans: ErasurePlans,
    private readonly erasures: Erasures,
    private readonly organizationExports: OrganizationExports,
    private readonly runs: RunsService,
  ) {}

  /** Everything of an organization, for its owners and system administrators. @throws {AppError} `not_found`, `forbidden` */
  async exportOrganization({ caller, slug, organizationId }: OrganizationRequest): Promise<Archive> {
    if (!isOwner(caller)) {
      throw new AppError('forbidden', 'Only owners of the organization may download all of it');
    }
    await this.organizationExports.begin(caller, organizationId);
    await this.runs.flush();
    const filename = `${slug}-${new Date().toISOString().slice(0, 10)}.zip`;
    return { filename, stream: zipStream(this.organizationExports.files(organizationId)) };
  }

  /** @throws {AppError} `not_found`, `forbidden` */
  async exportMember({ caller, organizationId }: OrganizationRequest, member: string): Promise<Archive> {
    assertReach(caller, await this.exports.find(organizationId, member));
    return this.archive(caller, organizationId, member, { confidential: isOwner(caller) });
  }

  /** A key for some assistants, or for several people, belongs to a program. @throws {AppError} `forbidden` */
  async exportOwn(caller: Caller): Promise<Archive> {
    assertUnrestricted(caller);
    if (caller.mayNameEndUser !== undefined) {
      throw new AppError('forbidden', 'Only the person may download this: sign in, or use a key without restrictions');
    }
    return this.archive(caller, caller.organizationId, caller.userId, { confidential: true });
  }

  /** @throws {AppError} `not_found`, `forbidden` */
  async plan(
    { caller, organizationId }: OrganizationRequest,
    member: string,
    { heir, unshared }: ErasePersonDto,
  ): Promise<ErasurePlan> {
    assertReach(caller, await this.exports.find(organizationId, member));
    return this.plans.plan(caller, { organizationId, member, unshared, ...(heir === undefined ? {} : { heir }) });
  }

  /** @throws {AppError} `not_found`, `forbidden`, `validation_failed` without the confirmation, `conflict` */
  async erase(
    { caller, organizationId }: OrganizationRequest,
    member: string,
    body: ErasePersonDto,
  ): Promise<ErasureRequest> {
    const subject = await this.exports.find(organizationId, member);
    assertReach(caller, subject);
    const { heir, unshared, confirm = '' } = body;
    if (confirm.trim().toLowerCase() !== subject.email) {
      throw invalid([{ path: 'confirm', message: 'must be the e-mail address of the person', code: 'person.confirm' }]);
    }
    return this.erasures.request(caller, {
      organizationId,
      member: subject.userId,
      unshared,
      ...(heir === undefined ? {} : { heir }),
    });
  }

  private async archive(
    caller: Caller,
    organizationId: string,
    member: string,
    contents: { readonly confidential: boolean },
  ): Promise<Archive> {
    const { userId } = await this.exports.begin(caller, organizationId, member);
    await this.runs.flush();
    const stream = zipStream(this.exports.files({ organizationId, userId }, contents));
    return { filename: `personal-data-${new Date().toISOString().slice(0, 10)}.zip`, stream };
  }
}

const isOwner = ({ role, systemAdmin }: Caller): boolean => role === 'owner' || systemAdmin;

/** A person without a membership has the rank of a member. */
function assertReach(caller: Caller, { role, systemAdmin }: Subject): void {
  assertOutranks(caller, { role: (role ?? 'member') as Role, systemAdmin });
}
