import { describe, expect, it } from 'vitest';
import { isActive, isGroup, navigationFor, type NavEntry } from './navigation';
import { ownPath } from './own-path';

const hrefs = (entries: readonly NavEntry[]): readonly string[] =>
  entries.flatMap((entry) => (isGroup(entry) ? entry.links.map(({ href }) => href) : [entry.href]));
const member = { isTeacher: false, mayWrite: false, isAdmin: false, isSystemAdmin: false, multiTool: true };

describe('navigation', () => {
  it('offers members the assistants that they may ask, and nothing else', () => {
    expect(hrefs(navigationFor(member))).toEqual(['/assistants']);
  });

  it('offers teachers both types to create, and only classic where multi-tool is off', () => {
    const teacher = { ...member, isTeacher: true, mayWrite: true };
    expect(hrefs(navigationFor(teacher))).toEqual(
      expect.arrayContaining(['/assistants/create', '/multi-tool-assistants/create', '/knowledge-bases', '/rubrics']),
    );
    expect(hrefs(navigationFor({ ...teacher, multiTool: false }))).not.toContain('/multi-tool-assistants/create');
    expect(hrefs(navigationFor(teacher))).not.toContain('/admin/migration');
  });

  it('offers nothing to create to a teacher who only reads', () => {
    const entries = hrefs(navigationFor({ ...member, isTeacher: true }));
    expect(entries).toContain('/knowledge-bases');
    expect(entries.filter((href) => href.endsWith('/create'))).toEqual([]);
  });

  it('offers the health of the service to system administrators only', () => {
    const administrator = { ...member, isTeacher: true, isAdmin: true };
    expect(hrefs(navigationFor(administrator))).not.toContain('/admin/health');
    expect(hrefs(navigationFor({ ...administrator, isSystemAdmin: true }))).toContain('/admin/health');
  });

  it('shows one place as active, also for what lies below it', () => {
    const entries = navigationFor({ ...member, isTeacher: true, mayWrite: true, isAdmin: true });
    const active = (path: string) => entries.filter((entry) => isActive(entry, path)).map(({ key }) => key);
    expect(active('/multi-tool-assistants/7')).toEqual(['shell.nav.assistants']);
    expect(active('/admin/migration/x')).toEqual(['shell.nav.administration']);
    expect(active('/filesystem')).toEqual([]);
    expect(active('/files')).toEqual(['shell.nav.files']);
  });
});

describe('where to go after signing in', () => {
  it.each([
    ['/runs/7?after=3#top', '/runs/7?after=3#top'],
    [null, '/'],
    ['', '/'],
    ['runs', '/'],
    ['//evil.example/x', '/'],
    ['/\\evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['https://evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/.//evil.example', '/'],
    ['/..//evil.example', '/'],
    ['/%2e//evil.example', '/'],
    ['/sign-in/AbC', '/'],
    ['/x/../Sign-In/AbC', '/'],
    ['/%73ign-in/AbC', '/'],
    ['/api/v1/me', '/'],
    ['/%', '/'],
    ['/sign-in?done', '/sign-in?done'],
    ['/multi-tool-assistants/7', '/multi-tool-assistants/7'],
  ])('%s → %s', (wished, path) => expect(ownPath(wished)).toBe(path));
});
