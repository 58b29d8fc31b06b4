import { htmlToMarkdown } from './html';

const markdown = (body: string): string => htmlToMarkdown(`<body>${body}</body>`).text;

describe('htmlToMarkdown', () => {
  it.each([
    ['inline LaTeX', '<p>$x_1^2 \\ne y_{*}$ and \\(a_b * c_d\\)</p>', '$x_1^2 \\ne y_{*}$ and \\(a_b * c_d\\)'],
    ['brackets, stars and underlines', '<p>a_b_c [1] *x* 1. # \\n</p>', 'a_b_c [1] *x* 1. # \\n'],
    ['what would become a heading', '<p># include</p>', '\\# include'],
    ['MathJax', '<p>so <script type="math/tex">e^{i\\pi}</script></p>', 'so $e^{i\\pi}$'],
    ['displayed MathJax', '<script type="math/tex; mode=display">a&lt;b</script>', '$$\na&lt;b\n$$'],
    [
      'KaTeX, once',
      '<span class="katex"><span class="katex-mathml"><math><mi>x</mi><annotation encoding="application/x-tex">x_1</annotation></math></span><span class="katex-html">x1</span></span>',
      '$x_1$',
    ],
    ['MathML without LaTeX', '<p>so <math><mi>x</mi><mo>=</mo><mn>1</mn></math></p>', 'so x=1'],
    ['indices', '<p>H<sub>2</sub>O in m<sup>2</sup></p>', 'H2O in m^2'],
    ['listings without a language', '<pre>a\n  # b\n\n*c*</pre>', '```\na\n  # b\n\n*c*\n```'],
    ['fences in a listing', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
    ['pictures by their description', '<p><img src="data:x" alt="A leaf"></p>', 'A leaf'],
    [
      'links to elsewhere',
      '<a href="https://a.org/b">there</a> <a href="#x">here</a>',
      '[there](https://a.org/b) here',
    ],
    ['lists', '<ul><li>a<ul><li>b</li></ul></li></ul>', '-   a\n    -   b'],
  ])('%s', (_, html, expected) => expect(markdown(html)).toBe(expected));

  it.each([
    '<script>x</script>',
    '<style>x</style>',
    '<nav>x</nav>',
    '<header>x</header>',
    '<footer>x</footer>',
    '<div role="navigation">x</div>',
    '<p hidden>x</p>',
    '<p style="display: none">x</p>',
    '<svg><text>x</text></svg>',
    '<button>x</button>',
    '<!-- x -->',
    '<iframe src="https://x">x</iframe>',
    '<table><tr><td><a href="/">x</a></td><td><a href="/a"><b>y</b></a> | </td></tr></table>',
  ])('leaves out %s', (html) => expect(markdown(`<p>kept</p>${html}`)).toBe('kept'));

  it.each([
    [
      'another page shown inside',
      '<iframe src="/quiz"></iframe>',
      ['Other pages and files shown inside the page are not read'],
    ],
    [
      'a file shown inside',
      '<object data="plan.pdf"></object>',
      ['Other pages and files shown inside the page are not read'],
    ],
    ['a drawing with words', '<svg><text>Nucleus</text></svg>', ['Drawings are not read']],
    ['a hidden part', '<div hidden><p>The answer is four.</p></div>', ['Hidden parts are left out']],
    ['an icon', '<a href="/"><svg><title>Search</title></svg></a>', []],
    ['a hidden menu', '<nav style="display:none">Home</nav>', []],
    ['a page of a counter', '<noscript><iframe src="/count"></iframe></noscript>', []],
    ['a hidden page of a counter', '<iframe style="display:none" src="/count"></iframe>', []],
  ])('tells what is left out: %s', (_, html, leftOut) => {
    expect(htmlToMarkdown(`<body><p>kept</p>${html}</body>`)).toEqual({ text: 'kept', title: null, leftOut });
  });

  it.each([
    ['<title> Osmosis\n explained </title>', 'Osmosis explained'],
    [`<title>${'long '.repeat(100_000)}</title>`, 'long '.repeat(40).trim()],
    ['<title> </title>', null],
    ['', null],
  ])('reads a title, cut to what a citation can show', (head, title) => {
    expect(htmlToMarkdown(`<html><head>${head}</head><body>text</body></html>`).title).toBe(title);
  });

  it('keeps the header of an article', () => {
    expect(markdown('<article><header><h1>Title</h1></header><p>text</p></article>')).toBe('# Title\n\ntext');
  });

  it('takes the main part where that is most of the page', () => {
    expect(markdown(`<div>menu</div><main>${'long text '.repeat(20)}</main>`)).not.toContain('menu');
    expect(markdown(`<div>${'long text '.repeat(20)}</div><main>short</main>`)).toContain('long text');
  });

  describe('tables', () => {
    it('have a header, also where the page names none', () => {
      expect(markdown('<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>')).toBe(
        '| a | b |\n| --- | --- |\n| 1 | 2 |',
      );
    });

    it.each([
      ['figures never stand above others', '<td>North</td><td>1250</td>', '|  |  |\n| --- | --- |\n| North | 1250 |'],
      ['years may', '<td>Campus</td><td>2026</td>', '| Campus | 2026 |\n| --- | --- |'],
      ['so may figures that the page calls names', '<th>Dose</th><th>0.5</th>', '| Dose | 0.5 |\n| --- | --- |'],
    ])('as their names, %s', (_, first, expected) => {
      const html = `<table><tr>${first}</tr><tr><td>South</td><td>900</td></tr></table>`;
      expect(markdown(html)).toBe(`${expected}\n| South | 900 |`);
    });

    it('repeat what stands over several rows and keep columns in place', () => {
      const html =
        '<table><caption>Cities</caption><tr><th>a</th><th>b</th><th>c</th></tr><tr><td rowspan="2">x</td><td colspan="2">y</td></tr><tr><td>1</td><td>2</td></tr></table>';
      expect(markdown(html)).toBe('Cities\n\n| a | b | c |\n| --- | --- | --- |\n| x | y |  |\n| x | 1 | 2 |');
    });

    it('escape pipes except in formulas and code', () => {
      const html = '<table><tr><th>a|b</th><th>c</th></tr><tr><td>$|x|$</td><td><code>a || b</code></td></tr></table>';
      expect(markdown(html)).toBe('| a\\|b | c |\n| --- | --- |\n| $|x|$ | `a || b` |');
    });

    it('with text beside their links are kept', () => {
      const html = '<table><tr><th>Week</th><th>Slides</th></tr><tr><td>1</td><td><a href="/1">x</a></td></tr></table>';
      expect(markdown(html)).toBe('| Week | Slides |\n| --- | --- |\n| 1 | x |');
    });

    it('that only arrange the page are no tables', () => {
      expect(markdown('<table><tr><td><p>a</p></td></tr><tr><td><p>b</p></td></tr></table>')).toBe('a\n\nb');
    });

    it('survive spans that claim too much', () => {
      const html = '<table><tr><td rowspan="999999" colspan="999999">a</td><td>b</td></tr><tr><td>c</td></tr></table>';
      expect(markdown(html).length).toBeLessThan(2_000);
    });
  });
});
