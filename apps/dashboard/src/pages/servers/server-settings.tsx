import { PageHead } from '../../parts/page-head.tsx';

export const ServerSettings = () => <PageHead title="ServerSettings" />;
