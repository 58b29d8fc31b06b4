import type { ConformanceDriver } from './conformance-driver';

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Pictures that are shown to a model, and pictures that it makes. */
export function describeImages(driver: ConformanceDriver): void {
  const { vendor } = driver;
  const { vision, image_generation: draws } = driver.connector.definition.capabilities;

  if (vision) {
    it('shows the vendor the bytes of an image beside its text', async () => {
      vendor.answers({ content: 'A point.' });
      const content = [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      ];
      await driver.complete(driver.request({ messages: [{ role: 'user', content }] }));
      const [turn] = vendor.questions()[0]?.turns ?? [];
      expect(turn?.text).toBe('What is this?');
      expect(turn?.images.map(({ base64 }) => base64)).toEqual([PNG]);
    });
  }

  if (draws) {
    it('hands over the images that the vendor made, plain and streamed', async () => {
      vendor.answers({ content: 'Here.', images: [{ mediaType: 'image/png', base64: PNG }] }, 2);
      const image = { mediaType: 'image/png', bytes: Buffer.from(PNG, 'base64') };
      expect((await driver.complete()).images).toEqual([image]);
      const { chunks, error } = await driver.stream();
      expect(error).toBeNull();
      expect(chunks.flatMap(({ images }) => images ?? [])).toEqual([image]);
    });
  } else {
    it('makes no images', async () => {
      vendor.answers({ content: 'Words.' });
      expect((await driver.complete()).images ?? []).toEqual([]);
    });
  }
}
