import { AppError, type Caller, type JsonObject, isJsonObject, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { MembersService } from '../../../src/organizations';
import { type CourseRole, roleIn } from '../roles';
import { PlatformRepository } from '../platforms/platform.repository';
import type { CourseMemberDto, CourseMembersDto } from './course-services.dto';
import { PlatformServices, badAnswer, jsonIn } from './platform-services';
import { TaughtRepository } from './taught.repository';

/** The address of the next page in a `Link` header (RFC 8288 §3); null for none. */
export function nextPageIn(header: string | undefined, base: string): string | null {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(/<([^<>]*)>((?:\s*;[^,<]*)?)/g)) {
    const relations = /;\s*rel\s*=\s*"?([^";]*)"?/i.exec(parameters)?.[1]?.toLowerCase().split(/\s+/) ?? [];
    if (relations.includes('next') && URL.canParse(target, base)) return new URL(target, base).href;
  }
  return null;
}

const SCOPE = 'https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly';
const MEDIA = 'application/vnd.ims.lti-nrps.v2.membershipcontainer+json';
const MOST_PAGES = 100;
const MOST_MEMBERS = 5_000;
const PAGE_SIZE = '200';
const MOST_TEXT = 255;

interface Found {
  readonly subject: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly role: CourseRole | null;
  readonly active: boolean;
}

/** The people of a course, as its platform lists them now (Names and Role Provisioning Services 2.0). */
@Injectable()
export class Roster {
  constructor(
    private readonly taught: TaughtRepository,
    private readonly platforms: PlatformRepository,
    private readonly services: PlatformServices,
    private readonly members: MembersService,
  ) {}

  /**
   * @throws {AppError} `not_found` for people who do not teach the course, `forbidden` for a restricted key, `conflict`
   * without a roster
   */
  async list(caller: Caller, courseId: string): Promise<CourseMembersDto> {
    const course = existing(await this.taught.course(caller, courseId), 'Course');
    if (course.rosterUrl === null) {
      throw new AppError('conflict', 'The learning platform does not offer the list of people for this course', {
        reason: 'roster.not_offered',
      });
    }
    const platform = existing(await this.platforms.within(caller.organizationId).find(course.platformId), 'Course');
    const found = new Map<string, Found>();
    const seen = new Set<string>();
    const start = firstPage(course.rosterUrl);
    for (let page: string | null = start; page !== null;) {
      if (seen.has(page) || seen.size === MOST_PAGES) throw badAnswer('repeats pages of the list of people');
      seen.add(page);
      const answer = await this.services.call(platform, [SCOPE], { url: page, headers: { accept: MEDIA } });
      for (const member of membersIn(jsonIn(answer))) found.set(member.subject, member);
      if (found.size > MOST_MEMBERS) throw badAnswer(`lists more than ${MOST_MEMBERS} people`);
      page = nextPageIn(answer.headers['link'], page);
      // The access token goes to no other origin.
      if (page !== null && new URL(page).origin !== new URL(start).origin) throw badAnswer('names a page elsewhere');
    }
    const users = await this.taught.usersOf(caller, platform.id);
    const nameless = [...found.values()].flatMap(({ name, subject }) =>
      name === null ? (users.get(subject) ?? []) : [],
    );
    const names = await this.members.findAll(caller.organizationId, nameless);
    const items = [...found.values()].map((member) => {
      const userId = users.get(member.subject) ?? null;
      return viewOf({ ...member, name: member.name ?? names.get(userId ?? '')?.name ?? null }, userId);
    });
    return { items, total: items.length };
  }
}

const viewOf = ({ subject, ...member }: Found, userId: string | null): CourseMemberDto => ({
  person: subject,
  user_id: userId,
  ...member,
});

function firstPage(address: string): string {
  const url = new URL(address);
  if (!url.searchParams.has('limit')) url.searchParams.set('limit', PAGE_SIZE);
  return url.href;
}

function membersIn({ members }: JsonObject): Found[] {
  if (!Array.isArray(members)) throw badAnswer('did not send a list of people');
  return members.filter(isJsonObject).flatMap((member) => {
    const subject = textOf(member['user_id']);
    const status = textOf(member['status']) ?? 'Active';
    if (subject === null || status === 'Deleted') return [];
    return {
      subject,
      name: textOf(member['name']) ?? partsOf(member),
      email: textOf(member['email']),
      role: roleIn(member['roles']),
      active: status === 'Active',
    };
  });
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' && !value.includes('\0') ? value.trim().slice(0, MOST_TEXT) : null;

function partsOf(member: JsonObject): string | null {
  const parts = [textOf(member['given_name']), textOf(member['family_name'])].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' ');
}
