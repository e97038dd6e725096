import { expect, test } from 'bun:test';
import { verifyButtonHtml, verifyInvitation, verifyLink } from './verify-link.ts';

const origin = 'https://holdfast.example';
const link = verifyLink('0191', origin);

test('the verify link and the redirect lie at the service itself', () => {
  expect(link).toBe('https://holdfast.example/verify/0191');
});

test('a name cannot break out of the button that carries it', () => {
  const html = verifyButtonHtml(link, `"><script>alert('x')</script> & co`);
  expect(html).toStartWith(`<a href="${link}"`);
  expect(html).toEndWith(
    'Verify for &quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; co</a>',
  );
});

test('the invitation names the server and ends with the link', () => {
  const invitation = verifyInvitation(link, 'Harbour');
  expect(invitation).toContain('Welcome to Harbour!');
  expect(invitation).toEndWith(link);
});
