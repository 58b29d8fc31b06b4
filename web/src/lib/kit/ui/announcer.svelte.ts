/** Messages to screen readers, politely, one thing at a time; the layout renders it once as `role="status"`. */
class Announcer {
  message = $state('');

  say(message: string): void {
    // The same words twice are news too: an empty region between makes it a change.
    this.message = '';
    queueMicrotask(() => {
      this.message = message;
    });
  }
}

export const announcer = new Announcer();
