import {
  AppError,
  type Caller,
  type Problem,
  assertActsForPerson,
  invalid,
  isUuid,
  notFound,
  uuidv7,
  existing,
} from '@bellwether/kernel';
import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../src/infrastructure/audit';
import { type Transaction, Transactions } from '../../../src/infrastructure/database';
import { ActivityAssistants } from '../courses/activity-assistants.service';
import { parametersOf } from '../courses/activity.entity';
import { ToolKeys } from '../tool-keys.service';
import { type LaunchMessage, RefusedLaunch } from '../launch-claims';
import type { PlatformEntity } from '../platforms/platform.entity';
import { PlatformRepository } from '../platforms/platform.repository';
import { ToolAddresses } from '../platforms/platforms.service';
import type { ChosenContentDto, ChosenLinkDto, SelectionAnswerDto, SelectionDto } from './deep-linking.dto';
import type { SelectionEntity } from './selection.entity';
import { SelectionRepository } from './selection.repository';
import { wantedIn } from './wanted-content';

const LTI = 'https://purl.imsglobal.org/spec/lti/claim';
const DEEP_LINK = 'https://purl.imsglobal.org/spec/lti-dl/claim';

interface Open {
  readonly selection: SelectionEntity;
  readonly platform: PlatformEntity;
}

/** Deep-linking requests: an instructor chooses assistants for a course (Deep Linking 2.0). */
@Injectable()
export class Selections {
  constructor(
    private readonly selections: SelectionRepository,
    private readonly platforms: PlatformRepository,
    private readonly assistants: ActivityAssistants,
    private readonly keys: ToolKeys,
    private readonly addresses: ToolAddresses,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** The id of the new request, inside the transaction of a launch. @throws RefusedLaunch `selection` */
  async begin(
    { id: platformId, organizationId }: PlatformEntity,
    { claims, course, deploymentId, person, reader }: LaunchMessage,
    userId: string,
    tx: Transaction,
  ): Promise<string> {
    if (person.role !== 'instructor') throw new RefusedLaunch('selection', 'no instructor', reader);
    const wanted = wantedIn(claims);
    if (wanted === null) throw new RefusedLaunch('selection', 'deep_linking_settings', reader);
    const id = uuidv7();
    const courseTitle = course?.title ?? '';
    await this.selections.insert({ id, organizationId, userId, platformId, deploymentId, courseTitle, wanted }, tx);
    return id;
  }

  /** @throws {AppError} `not_found` for used ones and those of other people, `link_expired` */
  async get(caller: Caller, id: string): Promise<SelectionDto> {
    const { selection, platform } = await this.open(caller, id);
    const offered = await this.offered(caller);
    return {
      id,
      course_title: selection.courseTitle,
      platform: platform.name,
      multiple: selection.wanted.multiple,
      line_items: selection.wanted.lineItems,
      expires_at: selection.expiresAt.toISOString(),
      assistants: offered.map(({ id: assistant, name, description }) => ({ id: assistant, name, description })),
    };
  }

  /** Uses the request up. @throws {AppError} `validation_failed`, and what `get` throws */
  async answer(caller: Caller, id: string, { links }: ChosenContentDto, origin: string): Promise<SelectionAnswerDto> {
    const { selection, platform } = await this.open(caller, id);
    const offered = new Set((await this.offered(caller)).map((assistant) => assistant.id));
    const problems = problemsOf(links, selection, offered);
    if (problems.length > 0) throw invalid(problems);
    const jwt = await this.keys.sign(this.claimsOf({ selection, platform }, links, origin));
    await this.transactions.run(async (tx) => {
      if (!(await this.selections.consume(selection, tx))) throw notFound('Selection');
      const target = { type: 'lti_platform', id: platform.id };
      const after = { course: selection.courseTitle, links };
      await this.audit.record({ caller, action: 'lti_links.add', target, after }, tx);
    });
    return { return_url: selection.wanted.returnUrl, jwt };
  }

  /** Deep Linking 2.0 §2.2. */
  private claimsOf({ selection, platform }: Open, links: readonly ChosenLinkDto[], origin: string) {
    const { data } = selection.wanted;
    return {
      iss: platform.clientId,
      aud: platform.issuer,
      nonce: randomUUID(),
      [`${LTI}/message_type`]: 'LtiDeepLinkingResponse',
      [`${LTI}/version`]: '1.3.0',
      [`${LTI}/deployment_id`]: selection.deploymentId,
      ...(data !== null && { [`${DEEP_LINK}/data`]: data }),
      [`${DEEP_LINK}/content_items`]: links.map((link) => ({
        type: 'ltiResourceLink',
        title: link.title,
        url: this.addresses.at(origin).launch_url,
        custom: { assistant: link.assistants.join(','), ...parametersOf(link.readable_as) },
        ...(link.line_item !== undefined && {
          lineItem: { scoreMaximum: link.line_item.maximum, label: link.title },
        }),
      })),
    };
  }

  private async open(caller: Caller, id: string): Promise<Open> {
    assertActsForPerson(caller);
    const selection = existing(isUuid(id) ? await this.selections.find(caller, id) : null, 'Selection');
    if (selection.expiresAt.getTime() <= Date.now()) {
      throw new AppError('link_expired', 'The learning platform no longer waits for this choice: begin it again there');
    }
    const platform = await this.platforms.within(caller.organizationId).find(selection.platformId);
    if (platform === null) throw notFound('Selection');
    return { selection, platform };
  }

  /** With the rights of the person: the session of a launch reaches fewer assistants. */
  private offered(caller: Caller) {
    return this.assistants.offeredTo({ ...caller, scopes: ['chat', 'read'], assistantIds: null });
  }
}

function problemsOf(
  links: readonly ChosenLinkDto[],
  { wanted }: SelectionEntity,
  offered: ReadonlySet<number>,
): Problem[] {
  const problems: Problem[] = [];
  if (links.length > 1 && !wanted.multiple) {
    problems.push({ path: 'links', message: 'the learning platform takes one link only', code: 'link.single' });
  }
  for (const [index, { assistants, line_item: lineItem }] of links.entries()) {
    for (const [place, id] of assistants.entries()) {
      if (!offered.has(id)) {
        const message = `assistant ${id} is not published, or you may not use it`;
        problems.push({
          path: `links[${index}].assistants[${place}]`,
          message,
          code: 'assistant.not_offered',
          values: { id },
        });
      }
    }
    if (lineItem !== undefined && !wanted.lineItems) {
      const message = 'the learning platform takes no column of grades';
      problems.push({ path: `links[${index}].line_item`, message, code: 'grade.not_offered' });
    }
  }
  return problems;
}
