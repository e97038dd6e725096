import { Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { PageHead } from '../../components/page.tsx';
import { powerfulRole } from '../../components/power-note.tsx';
import { SaveBar } from '../../components/save-bar.tsx';
import { useHashTarget } from '../../components/use-hash-target.ts';
import { guildQuery, useServer } from '../../queries/servers.ts';
import { BackupSection } from './backup-section.tsx';
import { CaptchaSection, ChecksSection } from './checks-section.tsx';
import { ConfirmRole } from './confirm-role.tsx';
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
  const isLost = server.health === 'LOST';
  const { data: guild } = useQuery({ ...guildQuery(server.id), enabled: !isLost });
  const power = powerfulRole(guild?.roles, form.changes.verifiedRoleId);
  const [isAsking, asking] = useDisclosure(false);
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
          if (Object.keys(form.changes).length === 0) return;
          if (power) asking.open();
          else form.save.mutate(form.changes);
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
      {power && (
        <ConfirmRole
          {...{ form, role: power, changes: form.changes }}
          opened={isAsking}
          onClose={asking.close}
        />
      )}
      <DangerZone server={server} />
    </Stack>
  );
};
