import type { Attachment } from 'svelte/attachments';

/** Takes pictures that are dropped on an element; other files stay with the browser. `mayTake` is asked at each drop. */
export function takesPictures(mayTake: () => boolean, take: (pictures: readonly File[]) => void): Attachment {
  return (element) => {
    const over = (event: Event): void => {
      if (event instanceof DragEvent && mayTake() && event.dataTransfer?.types.includes('Files') === true) {
        event.preventDefault();
      }
    };
    const drop = (event: Event): void => {
      if (!(event instanceof DragEvent)) return;
      const pictures = [...(event.dataTransfer?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
      if (!mayTake() || pictures.length === 0) return;
      event.preventDefault();
      take(pictures);
    };
    element.addEventListener('dragover', over);
    element.addEventListener('drop', drop);
    return () => {
      element.removeEventListener('dragover', over);
      element.removeEventListener('drop', drop);
    };
  };
}
