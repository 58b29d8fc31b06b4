import { expect, type Locator } from '@playwright/test';

/**
 * Checks that nothing lies over the middle of a control that the focus scrolled to, as a reader's Tab does: not a bar
 * that stays in sight, not a note, not a dialog. Playwright's own `click` would scroll until the control is free.
 */
export async function pressable(control: Locator): Promise<void> {
  await expect(control).toBeEnabled();
  await control.focus();
  await expect
    .poll(() =>
      control.evaluate((element) => {
        // As the focus does it. What loads above the control moves it out of sight again.
        element.scrollIntoView({ block: 'nearest' });
        const { left, top, width, height } = element.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return hit !== null && element.contains(hit) ? 'free' : `under ${hit?.outerHTML.slice(0, 200)}`;
      }),
    )
    .toBe('free');
}

/** A press of the pointer where the control is, held for a moment: what is drawn anew under it would lose it. */
export async function pressSlowly(control: Locator): Promise<void> {
  await pressable(control);
  const box = await control.boundingBox();
  if (box === null) throw new Error('Nothing to press');
  const { mouse } = control.page();
  await mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 });
  await mouse.down();
  // Two frames: whatever hears of the press has been drawn.
  await control.page().evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await mouse.up();
}
