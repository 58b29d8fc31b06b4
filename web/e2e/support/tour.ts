/** The control that has the focus, and how it looks. */
export interface Look {
  /** Id of the control; null where nothing has the focus. */
  readonly id: number | null;
  readonly what: string;
  /** An outline says so. */
  readonly isMarked: boolean;
  /** The element that lies over all of it; null when some of it can be seen. */
  readonly under: string | null;
}

interface Start {
  readonly steps: number;
  readonly first: number | null;
}

interface Group {
  readonly index: number;
  readonly key: 'ArrowDown' | 'ArrowRight';
}

/** Keys by which a control is reached. */
type Way = 'tab' | 'arrows';

declare global {
  interface Window {
    tour: {
      /** Puts the focus on the first control; says how many Tabs a walk has at most, none where Tab has reached all. */
      begin(): Start;
      /** The control that has the focus, looked at when it shows the focus. */
      look(): Promise<Look>;
      /** Controls that Tab should have reached. */
      unreached(): string[];
      /** Groups whose members the arrows reach, those inside others first. */
      groups(): Group[];
      /** Puts the focus on the member of a group that Tab reaches; how many members there are. */
      enter(group: number): number;
      /** Members of the group entered last that were not reached. */
      missed(): string[];
    };
  }
}

/** Runs in the page: knows the controls inside `root` and which of them have had the focus. */
export function tour(root: string): void {
  const ROLES = ['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'option', 'slider', 'textbox', 'combobox'];
  const NATIVE = 'a[href], button, input, select, textarea, summary';
  const ACTIVE = [NATIVE, '[contenteditable="true"]', ...ROLES.map((role) => `[role="${role}"]`)].join(', ');
  const GROUPS = '[role="tablist"], [role="radiogroup"], [role="listbox"], [role="toolbar"]';
  /** After so many a control that does not show its focus never will. */
  const FRAMES = 60;
  const seen: HTMLElement[] = [];
  const reached = new Set<HTMLElement>();

  const describe = (element: Element): string => {
    const { dataset } = element as HTMLElement;
    const label =
      element.getAttribute('aria-label') ?? element.textContent?.trim().replace(/\s+/g, ' ').slice(0, 60) ?? '';
    return [
      element.localName,
      element.getAttribute('type') ?? '',
      dataset['testid'] === undefined ? (element.getAttribute('class') ?? '') : `[${dataset['testid']}]`,
      label,
    ]
      .filter((part) => part !== '')
      .join(' ');
  };

  const isUsable = (element: HTMLElement): boolean =>
    element.isConnected &&
    element.checkVisibility({ visibilityProperty: true }) &&
    !element.matches(':disabled') &&
    element.closest('[inert], [aria-hidden="true"]') === null &&
    // What modal dialogs stand before cannot be used.
    (document.querySelector('dialog:modal')?.contains(element) ?? true);

  const radiosOf = (radio: HTMLInputElement): HTMLInputElement[] =>
    [...document.querySelectorAll<HTMLInputElement>('input[type="radio"]')].filter(
      ({ name, form }) => name === radio.name && form === radio.form,
    );

  const isEntry = (radio: HTMLInputElement): boolean => {
    const usable = radiosOf(radio).filter(isUsable);
    return radio === (usable.find(({ checked }) => checked) ?? usable[0]);
  };
  /** A button beside it opens the same choice of files. */
  const hasButton = (element: HTMLElement): boolean =>
    element.matches('input[type="file"]') && element.parentElement?.querySelector('button') !== null;

  function wayTo(element: HTMLElement): Way | null {
    if (element instanceof HTMLInputElement && element.type === 'radio' && element.name !== '')
      return isEntry(element) ? 'tab' : 'arrows';
    if (element.tabIndex >= 0) return 'tab';
    // A place that scripts put the focus on does nothing by itself.
    if (!element.matches(ACTIVE) || hasButton(element)) return null;
    return element.closest(GROUPS) === null ? 'tab' : 'arrows';
  }

  function collect(): void {
    const top = document.querySelector(root);
    for (const element of top?.querySelectorAll<HTMLElement>(`${ACTIVE}, [tabindex]`) ?? [])
      if (!seen.includes(element) && isUsable(element) && wayTo(element) !== null) seen.push(element);
  }

  const isMark = ({ outlineStyle, outlineWidth }: CSSStyleDeclaration): boolean =>
    outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;

  /**
   * The element that shows the focus: the control, or its label or what stands around it where it is hidden or drawn
   * otherwise.
   */
  function markedAt(element: HTMLElement): HTMLElement | null {
    const places: HTMLElement[] = [element, ...(element instanceof HTMLInputElement ? (element.labels ?? []) : [])];
    for (let at = element.parentElement; at !== null && places.length < 6; at = at.parentElement) places.push(at);
    return (
      places.find((at) => {
        const { width, height } = at.getBoundingClientRect();
        return width >= 8 && height >= 8 && isMark(getComputedStyle(at));
      }) ?? null
    );
  }

  /** Some point of what can be seen of it is its own. */
  function coverOf(element: HTMLElement): string | null {
    const box = element.getBoundingClientRect();
    const [left, right] = [Math.max(0, box.left), Math.min(innerWidth, box.right)];
    const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)];
    if (left >= right || top >= bottom) return 'the edge of the window';
    let cover: Element | null = null;
    for (const x of [0.1, 0.5, 0.9])
      for (const y of [0.1, 0.5, 0.9]) {
        const hit = document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y);
        if (hit !== null && (element.contains(hit) || hit.contains(element))) return null;
        cover ??= hit;
      }
    return cover === null ? 'nothing' : describe(cover);
  }

  const groupOf = (element: HTMLElement): HTMLElement[] => {
    const group = element.closest(GROUPS);
    if (element instanceof HTMLInputElement) return radiosOf(element).filter(isUsable);
    return seen.filter((one) => one.closest(GROUPS) === group && isUsable(one));
  };
  let members: HTMLElement[] = [];
  const depthOf = (element: HTMLElement): number =>
    element.parentElement === null ? 0 : 1 + depthOf(element.parentElement);
  const unreached = (way: Way): HTMLElement[] => {
    collect();
    return seen.filter((element) => !reached.has(element) && isUsable(element) && wayTo(element) === way);
  };

  function look(): Look {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body)
      return { id: null, what: 'nothing', isMarked: false, under: null };
    collect();
    reached.add(element);
    const marked = markedAt(element);
    return {
      id: seen.indexOf(element),
      what: describe(element),
      isMarked: marked !== null,
      under: coverOf(marked ?? element),
    };
  }

  const isUnclear = ({ id, isMarked, under }: Look): boolean => id !== null && (!isMarked || under !== null);

  window.tour = {
    begin() {
      if (unreached('tab').length === 0) return { steps: 0, first: null };
      seen.find((element) => isUsable(element) && wayTo(element) === 'tab')?.focus();
      return { steps: seen.length * 2 + 20, first: look().id };
    },
    async look() {
      let seenLast = look();
      // A control that is scrolled to shows its focus a frame later. Past the page's end nothing has it until the next Tab.
      for (let frame = 0; frame < FRAMES && isUnclear(seenLast); frame++) {
        await new Promise((drawn) => requestAnimationFrame(drawn));
        seenLast = look();
      }
      return seenLast;
    },
    unreached: () => unreached('tab').map(describe),
    groups() {
      const entries = new Set(unreached('arrows').map((element) => groupOf(element).find((one) => reached.has(one))));
      return [...entries]
        .filter((element) => element !== undefined)
        .sort((one, other) => depthOf(other) - depthOf(one))
        .map((element) => ({
          index: seen.indexOf(element),
          key: element.closest('[role="tablist"]') === null ? ('ArrowDown' as const) : ('ArrowRight' as const),
        }));
    },
    enter(index) {
      const element = seen[index];
      element?.focus();
      members = element === undefined ? [] : groupOf(element);
      return members.length;
    },
    missed: () => members.filter((element) => !reached.has(element)).map(describe),
  };
  collect();
}
