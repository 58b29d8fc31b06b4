import { expect, type Page } from './fixtures';
import { type Look, tour } from './tour';

const WALKS = 2;

/**
 * Every control that can be seen and used is reached with Tab, or with the arrows inside its group; each shows that it has
 * the focus, and nothing lies over it then (WCAG 2.2: 2.1.1, 2.4.7, 2.4.11).
 */
export async function reachable(page: Page, name: string, root = 'body'): Promise<void> {
  await page.evaluate(tour, root);
  const looks: Look[] = [];
  const visit = async (key: string): Promise<Look> => {
    await page.keyboard.press(key);
    const look = await page.evaluate(() => window.tour.look());
    looks.push(look);
    return look;
  };
  // What came into the page while somebody walked by is met the second time.
  for (let walk = 0; walk < WALKS; walk++) {
    const { steps, first } = await page.evaluate(() => window.tour.begin());
    for (let step = 0; step < steps; step++) if ((await visit('Tab')).id === first) break;
  }
  // Arrows choose, too: what a choice shows anew is no part of this walk.
  const left = await page.evaluate(() => window.tour.unreached());
  for (const group of await page.evaluate(() => window.tour.groups())) {
    const size = await page.evaluate((index) => window.tour.enter(index), group.index);
    for (let step = 0; step < size; step++) await visit(group.key);
    left.push(...(await page.evaluate(() => window.tour.missed())));
  }
  const told = (find: (look: Look) => string | null): string[] => [
    ...new Set(looks.filter(({ id }) => id !== null).flatMap((look) => find(look) ?? [])),
  ];
  // Soft: one run tells of everything that is wrong.
  expect.soft(left, `${name}: out of reach`).toEqual([]);
  expect
    .soft(
      told(({ isMarked, what }) => (isMarked ? null : what)),
      `${name}: focus not to be seen`,
    )
    .toEqual([]);
  expect
    .soft(
      told(({ under, what }) => under && `${what} under ${under}`),
      `${name}: focus covered`,
    )
    .toEqual([]);
}

/** The menus inside `root`: each opens, its entries are reached with the arrows, and Escape leads back to its button. */
export async function menusReachable(page: Page, root: string, most = 3): Promise<void> {
  const buttons = page.locator(`${root} button[aria-haspopup="menu"]:visible`);
  const count = Math.min(most, await buttons.count());
  for (let n = 0; n < count; n++) {
    const button = buttons.nth(n);
    await button.focus();
    await page.keyboard.press('Enter');
    const entries = page.locator(`${root} [role="menu"]:popover-open [role^="menuitem"]`);
    await expect(entries.first()).toBeFocused();
    for (const entry of await entries.all()) {
      await expect(entry).toBeFocused();
      await page.keyboard.press('ArrowDown');
    }
    await expect(entries.first()).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(entries).toHaveCount(0);
    await expect(button).toBeFocused();
  }
}

/** Everything that can be folded out is. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>('main details')) details.open = true;
  });
  await page.waitForLoadState('networkidle');
}
