-- expand, oldest release 1.0.0
--
-- Submissions through the applicants' pages come with no API key. On a cluster, this reference was dropped when applications were distributed.

alter table submission_request drop constraint if exists submission_request_api_key_id_fkey;
