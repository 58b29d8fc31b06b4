/** Aspect ratios that Gemini's image models support (ai.google.dev/gemini-api/docs/image-generation, "Aspect ratios"). */
const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const;

/** The nearest ratio to `1024x1536` or `2:3`; null for `auto` and for texts that are no size. */
export function aspectRatioOf(size: unknown): (typeof RATIOS)[number] | null {
  const match = typeof size === 'string' ? /^(\d{1,5})[x:](\d{1,5})$/.exec(size) : null;
  const [width, height] = [Number(match?.[1]), Number(match?.[2])];
  if (!(width > 0 && height > 0)) return null;
  const distance = (ratio: string): number => {
    const [across = 1, down = 1] = ratio.split(':').map(Number);
    return Math.abs(Math.log((width / height) * (down / across)));
  };
  return RATIOS.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}
