import type { Picture } from './playground.svelte';

/** Models look at no more, and a question may have 4 MB. */
const LONGEST_SIDE = 1_280;
const QUALITY = 0.85;

/** The size that fits, never larger than it is. */
export function fitted(width: number, height: number, longest = LONGEST_SIDE): { width: number; height: number } {
  const scale = Math.min(1, longest / Math.max(width, height, 1));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** A picture made small enough to send, without what cameras write into it. Rejects what is no picture. */
export async function pictureOf(file: File): Promise<Picture> {
  const bitmap = await createImageBitmap(file);
  const { width, height } = fitted(bitmap.width, bitmap.height);
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('No canvas');
  // Transparent grounds would turn black.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  return { name: file.name, url: canvas.toDataURL('image/jpeg', QUALITY) };
}
