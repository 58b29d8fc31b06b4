import type { Attachment } from 'svelte/attachments';

/** Distance within which the reader counts as at the end. */
const NEAR = 40;

/** Keeps the end of a growing text in sight until the reader scrolls up. */
export class EndFollower {
  isFollowing = $state(true);
  isAtEnd = $state(true);
  private box: HTMLElement | null = null;
  private lastTop = 0;

  /** On the box that scrolls; its first child is what grows. */
  readonly attach: Attachment<HTMLElement> = (box) => {
    this.box = box;
    const grown = new ResizeObserver(() => {
      if (this.isFollowing) this.jump();
      this.isAtEnd = this.isNearEnd(box);
    });
    grown.observe(box);
    for (const child of box.children) grown.observe(child);
    const onscroll = (): void => this.scrolled();
    box.addEventListener('scroll', onscroll, { passive: true });
    return () => {
      grown.disconnect();
      box.removeEventListener('scroll', onscroll);
      this.box = null;
    };
  };

  /** Goes to the end and stays there. */
  latest(): void {
    this.isFollowing = true;
    this.jump();
  }

  /** Stays where the reader is. */
  hold(): void {
    this.isFollowing = false;
  }

  private jump(): void {
    if (this.box !== null) this.box.scrollTop = this.box.scrollHeight;
  }

  private isNearEnd({ scrollTop, scrollHeight, clientHeight }: HTMLElement): boolean {
    return scrollHeight - scrollTop - clientHeight <= NEAR;
  }

  private scrolled(): void {
    if (this.box === null) return;
    const { scrollTop } = this.box;
    this.isAtEnd = this.isNearEnd(this.box);
    if (this.isAtEnd) this.isFollowing = true;
    // Growing text moves the end, not the reader's position.
    else if (scrollTop < this.lastTop) this.isFollowing = false;
    this.lastTop = scrollTop;
  }
}
