import { Stack } from '@mantine/core';
import { PageHead } from '../../components/page.tsx';
import { SaveBar } from '../../components/save-bar.tsx';
import { useHashTarget } from '../../components/use-hash-target.ts';
import { useServer } from '../../queries/servers.ts';
import { BackupSection } from './backup-section.tsx';
import { CaptchaSection, ChecksSection } from './checks-section.tsx';
import { DangerZone } from './danger-zone.tsx';
import { IdentitySection } from './identity-section.tsx';
import { MoveSection } from './move-section.tsx';
import { ProtectionSection } from './protection-section.tsx';
import { RejoinSection } from './rejoin-section.tsx';
import { useSettings } from './use-settings.ts';

export const ServerSettings = () => {
  const server = useServer();
  // Another server gets a new form: edits for this one must not be sent to it.
  return <SettingsOf key={server.id} />;
};

const SettingsOf = () => {
  const server = useServer();
  const form = useSettings(server);
  useHashTarget();
  return (
    <Stack maw={860} gap="md">
      <PageHead
        title="Settings"
        description="How newcomers are checked, and how the server is backed up. Nothing changes until you save."
      />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (Object.keys(form.changes).length > 0) form.save.mutate(form.changes);
        }}
      >
        <Stack gap="md">
          <IdentitySection server={server} form={form} />
          <CaptchaSection form={form} />
          <ChecksSection form={form} />
          <BackupSection form={form} />
          <RejoinSection form={form} />
          <ProtectionSection server={server} />
          <MoveSection server={server} form={form} />
          <SaveBar
            count={Object.keys(form.changes).length}
            save={form.save}
            isErrorAtFields={form.isErrorAtFields}
            onDiscard={form.discard}
          />
        </Stack>
      </form>
      <DangerZone server={server} />
    </Stack>
  );
};
