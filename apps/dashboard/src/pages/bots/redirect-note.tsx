import { Stack, Text } from '@mantine/core';
import { CopyField } from '../../parts/copy-field.tsx';
import { redirectUriOf } from '../servers/verify-link.ts';

/** Without this at the platform nobody can verify. */
export const RedirectNote = () => (
  <Stack gap="xs">
    <CopyField label="Redirect to register" value={redirectUriOf()} />
    <Text size="sm" c="dimmed">
      In the developer portal, under OAuth2, add this address to the redirects of your application.
      Otherwise the platform refuses everybody who wants to verify.
    </Text>
  </Stack>
);
