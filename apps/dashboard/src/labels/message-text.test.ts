import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Piece, parseMessageText } from './message-text.ts';

const text = (value: string): Piece => ({ kind: 'text', text: value });

test.each<[string, Piece[]]>([
  ['plain', [text('plain')]],
  ['a\nb', [text('a'), { kind: 'break' }, text('b')]],
  ['**b** c', [{ kind: 'bold', pieces: [text('b')] }, text(' c')]],
  [
    '*i* _i_',
    [{ kind: 'italic', pieces: [text('i')] }, text(' '), { kind: 'italic', pieces: [text('i')] }],
  ],
  ['__u__', [{ kind: 'underline', pieces: [text('u')] }]],
  ['~~s~~', [{ kind: 'strike', pieces: [text('s')] }]],
  ['`*x*`', [{ kind: 'code', text: '*x*' }]],
  ['**a *b***', [{ kind: 'bold', pieces: [text('a '), { kind: 'italic', pieces: [text('b')] }] }]],
  ['\\*x\\*', [text('*x*')]],
  ['2 * 3 * 4', [text('2 * 3 * 4')]],
  [
    '[rules](https://example.com/r)',
    [{ kind: 'link', text: 'rules', url: 'https://example.com/r' }],
  ],
  ['[rules](javascript:alert(1))', [text('[rules](javascript:alert(1))')]],
])('%j is shown as the platform shows it', (source, pieces) => {
  expect(parseMessageText(source)).toEqual(pieces);
});

test('no text is lost, whatever it is', () => {
  const flat = (pieces: Piece[]): string =>
    pieces
      .map((piece) =>
        piece.kind === 'break' ? '\n' : 'pieces' in piece ? flat(piece.pieces) : piece.text,
      )
      .join('');
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('*', '_', 'a', ' ', '\n', '~', '`', '🦭') }),
      (source) => {
        const letters = (value: string) => value.replaceAll(/[*_~`]/g, '');
        expect(letters(flat(parseMessageText(source)))).toBe(letters(source));
      },
    ),
  );
});
