import { chosenTrack, momentAddress, readWatchPage, watchAddress } from './watch-page';
import { toWebVtt } from './source-fetcher';
import { documentName, freeName } from './source-refresh.service';

const watch = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ';

describe('addresses of videos', () => {
  it.each([
    'https://youtu.be/dQw4w9WgXcQ?si=abc',
    'https://m.youtube.com/watch?v=dQw4w9WgXcQ&list=PL1',
    'https://www.youtube.com/shorts/dQw4w9WgXcQ',
    'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ',
  ])('%s leads to the watch page', (address) => {
    expect(watchAddress(new URL(address))).toBe(watch);
  });

  it.each(['https://www.youtube.com/@channel', 'https://example.edu/watch', 'https://example.edu/page?v=dQw4w9WgXcQ'])(
    '%s is no video',
    (address) => {
      expect(watchAddress(new URL(address))).toBeNull();
    },
  );

  it('name a moment', () => {
    expect(momentAddress(watch, 75)).toBe(`${watch}&t=75`);
    expect(momentAddress('https://example.edu/talk.vtt', 75)).toBe('https://example.edu/talk.vtt#t=75');
  });
});

describe('a watch page', () => {
  const response = {
    videoDetails: { title: 'Cells {and} "walls"' },
    captions: {
      playerCaptionsTracklistRenderer: {
        captionTracks: [
          { baseUrl: '/api/timedtext?v=1&lang=en', languageCode: 'en', kind: 'asr' },
          { baseUrl: '/api/timedtext?v=1&lang=es', languageCode: 'es-ES' },
          { baseUrl: 7 },
        ],
      },
    },
  };
  const html = `<script>if (window.ytInitialPlayerResponse) {}</script><script>var ytInitialPlayerResponse = ${JSON.stringify(response)};</script>`;

  it('lists its caption tracks, and the wanted language is chosen before written captions', () => {
    const page = readWatchPage(html, watch);
    expect(page?.title).toBe('Cells {and} "walls"');
    expect(page?.tracks).toHaveLength(2);
    const address = (language: string | null) => chosenTrack(page?.tracks ?? [], language)?.address;
    expect(address('en')).toBe('https://www.youtube.com/api/timedtext?v=1&lang=en&fmt=json3');
    expect(address('ca')).toContain('lang=es');
    expect(address(null)).toContain('lang=es');
  });

  it.each(['', 'ytInitialPlayerResponse', 'ytInitialPlayerResponse = {"a": "', 'ytInitialPlayerResponse = {oh}'])(
    'that is broken (%j) lists none',
    (text) => {
      expect(readWatchPage(text, watch)).toBeNull();
    },
  );
});

describe('timed text', () => {
  it('of json3 becomes WebVTT with the title', () => {
    const events = [
      { tStartMs: 0, dDurationMs: 1500, segs: [{ utf8: 'Cells' }, { utf8: ' <and>\n walls' }] },
      { tStartMs: 61_250, segs: [{ utf8: 'divide' }] },
      { tStartMs: 62_000, segs: [{ utf8: '\n' }] },
      { segs: [{ utf8: 'no time' }] },
    ];
    expect(toWebVtt(JSON.stringify({ events }), 'Cells')).toBe(
      'WEBVTT - Cells\n\n00:00:00.000 --> 00:00:01.500\nCells &lt;and&gt; walls\n\n00:01:01.250 --> 00:01:01.251\ndivide\n',
    );
  });

  it('without words is none', () => {
    expect([
      toWebVtt('', 't'),
      toWebVtt('<html>', 't'),
      toWebVtt('{"events":[]}', 't'),
      toWebVtt('WEBVTT\n', 't'),
    ]).toEqual([null, null, null, null]);
  });
});

describe('the name of a document', () => {
  it('is read from the address', () => {
    expect(documentName('https://example.edu/bio/f%C3%ADsica.html', 'html')).toBe('example.edu › bio › física.html');
    expect(documentName('https://example.edu/a%2F..%00b?q=1', 'pdf')).toBe('example.edu › a .. b?q=1.pdf');
    expect(documentName(watch, 'vtt')).toBe('www.youtube.com › watch?v=dQw4w9WgXcQ.vtt');
  });

  it('is numbered when it is taken', () => {
    expect(freeName('a.html', new Set(['a.html', 'a (2).html']))).toBe('a (3).html');
  });
});
